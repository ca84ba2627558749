/** Work that must not overlap, in the order in which it is asked for. */
export class Turns {
  private lastAlone: Promise<unknown> = Promise.resolve();
  /** Begun, or to begin, after `lastAlone`. */
  private sharing: Promise<unknown>[] = [];

  /** Runs `work` after all that was asked for earlier, and before all that is asked for later. Answers as it does. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = Promise.all([this.lastAlone, ...this.sharing]).then(work);
    this.sharing = [];
    this.lastAlone = result.catch(() => undefined);
    return result;
  }

  /** As `alone`, but beside other work that shares its turn. */
  together<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.lastAlone.then(work);
    this.sharing.push(result.catch(() => undefined));
    return result;
  }
}
