/** Whether a job that is to be watched is: a watch that sees nothing must not be silent. */
import type { Clock } from '../../job/clock';

export interface WatchRecordOptions {
  clock: Clock;
  /** How long no rank may be found, in milliseconds. */
  period: number;
  /** Ranks have been seen to die: what the launcher does after them is not to be watched. */
  haveDied?: () => boolean;
  /** Says in one sentence, at once, that the job is not watched, or is watched again. */
  onChange: (isWatched: boolean, sentence: string) => void;
}

/** Failed looks in a row. A rank that ends while it is asked causes one. */
const maxFailures = 2;

export class WatchRecord {
  private begin: number;
  private hasFoundRanks = false;
  private lastFound: number;
  private failures = 0;
  /** Since when nothing is known, while the job is not watched. */
  private unwatchedSince: number | undefined;
  private lastReason: string | undefined;
  private unwatched = 0;

  constructor(private readonly options: WatchRecordOptions) {
    this.begin = this.lastFound = options.clock.now();
  }

  /** There are ranks. A look at them may be under way when the job ends. */
  found(): void {
    this.hasFoundRanks = true;
  }

  /** A look has seen all ranks. */
  saw(): void {
    const now = this.options.clock.now();
    if (this.unwatchedSince !== undefined) {
      this.unwatched += now - this.unwatchedSince;
      this.unwatchedSince = undefined;
      this.options.onChange(true, 'the job is watched from now on');
    }
    this.found();
    this.lastFound = now;
    this.failures = 0;
  }

  /** A look failed; `isLasting`: the next one would, too. */
  failed(reason: string, isLasting = false): void {
    this.failures = isLasting ? maxFailures : this.failures + 1;
    if (this.failures >= maxFailures) this.open(reason);
  }

  /** The launcher waits for its job's start: nothing is to be watched yet. */
  waits(): void {
    this.failures = 0;
    if (this.hasFoundRanks || this.unwatchedSince !== undefined) return;
    this.begin = this.lastFound = this.options.clock.now();
  }

  /** There is no rank, or none that can be found. */
  foundNone(): void {
    this.failures = 0;
    if (this.wereThere) return;
    const { clock, period } = this.options;
    if (clock.now() - this.lastFound >= period) this.open(this.noneFound);
  }

  /** For the end of the job: one sentence; undefined: it was watched all the time. */
  summary(): string | undefined {
    const { clock, period } = this.options;
    const now = clock.now();
    const all = now - this.begin;
    // To find ranks may have taken all the time.
    const reason = this.lastReason ?? (this.wereThere || all < period ? undefined : this.noneFound);
    if (reason === undefined) return undefined;
    const unwatched = this.unwatched + (now - (this.unwatchedSince ?? now));
    const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0);
    const time = this.hasFoundRanks ? ` for ${seconds(unwatched)} of its ${seconds(all)} s` : '';
    return `the job was not watched${time}: ${reason}`;
  }

  /** Those that were there have ended; what the launcher does after them is not to be watched. */
  private get wereThere(): boolean {
    return this.hasFoundRanks || this.options.haveDied?.() === true;
  }

  private get noneFound(): string {
    const seconds = this.options.period / 1000;
    return `no MPI rank was found below the launcher on this host in ${seconds} s (a batch system may have started them elsewhere)`;
  }

  private open(reason: string): void {
    if (this.unwatchedSince !== undefined) return;
    this.unwatchedSince = this.lastFound;
    this.lastReason = reason;
    this.options.onChange(false, `the job is not watched: ${reason}`);
  }
}
