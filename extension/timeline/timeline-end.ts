/** Up to when a timeline reaches: it stands still while no rank runs, so that what came before stays in sight. */
import type { ThreadItems } from './timeline-messages';

export class TimelineEnd {
  /** Seconds, as in the timeline. */
  private latest = 0;
  private hasRun = false;
  private standing: number | undefined;

  forget(): void {
    this.latest = 0;
    this.hasRun = false;
    this.standing = undefined;
  }

  see(threads: readonly ThreadItems[]): void {
    for (const { items } of threads)
      for (const { begin, end } of items) this.latest = Math.max(this.latest, end ?? begin);
  }

  /** `now`: of the ranks' clocks. Where no rank has run since the timeline was opened, it ends with the last that is known. */
  at(now: number, runs: boolean): number {
    if (runs) {
      this.hasRun = true;
      this.standing = undefined;
      return now;
    }
    this.standing ??= this.hasRun ? now : this.latest;
    return Math.max(this.standing, this.latest);
  }
}
