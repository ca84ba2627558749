/** A clock that stands still until a test moves it. */
import type { CallOff, Clock } from '../../adapter/job/clock';

interface Alarm {
  at: number;
  work: () => void;
}

export class FakeClock implements Clock {
  private time = 0;
  private readonly alarms = new Set<Alarm>();

  now(): number {
    return this.time;
  }

  after(milliseconds: number, work: () => void): CallOff {
    const alarm = { at: this.time + milliseconds, work };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  /** Moves on by so many milliseconds, and does what is due on the way, each at its own time. */
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (let next = this.nextUntil(end); next !== undefined; next = this.nextUntil(end)) {
      this.alarms.delete(next);
      this.time = next.at;
      next.work();
    }
    this.time = end;
  }

  private nextUntil(end: number): Alarm | undefined {
    const due = [...this.alarms].filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }
}
