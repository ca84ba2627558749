/** Looks at one job: a process can be held by one of them at a time, and a rank that is about to die does not wait for long. */
import { follow } from '../../hosts/time-limit';

export class LookTurns {
  private current: { giveWay: AbortController; ended: Promise<void> } | undefined;
  private urgent = 0;

  /** `look` leaves every process as it was when its signal is aborted: by `signal`, or because an urgent look comes. undefined: one is under way. */
  async take<T>(signal: AbortSignal, look: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (this.urgent > 0) return undefined;
    const giveWay = new AbortController();
    const stopFollowing = follow(signal, giveWay);
    const work = look(giveWay.signal);
    const current = { giveWay, ended: work.then(ignore, ignore) };
    this.current = current;
    try {
      return await work;
    } finally {
      stopFollowing();
      if (this.current === current) this.current = undefined;
    }
  }

  /** Begins when no other look holds anything; rejects with the reason if `signal` is aborted before. */
  async takeFirst<T>(signal: AbortSignal, look: () => Promise<T>): Promise<T> {
    this.urgent++;
    try {
      this.current?.giveWay.abort(new DOMException('a rank is about to die', 'AbortError'));
      await this.current?.ended;
      signal.throwIfAborted();
      return await look();
    } finally {
      this.urgent--;
    }
  }
}

function ignore(): void {}
