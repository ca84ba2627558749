/** In which order ranks ended, as far as anybody can tell. */
import { signalOf } from '../../../plugin-api/answers/signal-words';
import type { Host } from '../../hosts/host';

export interface RankEnd {
  rank: number;
  /** How many had ended before it; those that have the same number ended together, as far as anybody can tell. */
  after: number;
  /** It ended by itself; neither this nor `signal`: how it ended is not known. */
  status?: number;
  signal?: number;
}

/** As told, and when: in milliseconds. */
export interface ToldEnd {
  host: Host;
  pid: number;
  rank: number;
  /** On its host. */
  after: number;
  how: string;
  time: number;
}

/** A launcher ends the others by these two alone. */
export const sentByLaunchers: ReadonlySet<string> = new Set(['SIGTERM', 'SIGKILL']);

/** Milliseconds. Ends that are reported within this time count as simultaneous where the kernel's order says nothing: a launcher needs less to end the other ranks. */
const atOnce = 300;

/** The first to end comes first. */
export function inOrderOfEnds(told: readonly ToldEnd[]): RankEnd[] {
  const ends = told.map((end) => ({
    ...{ rank: end.rank, after: told.filter((each) => isBefore(each, end)).length },
    ...(end.how === '-' ? {} : endOf(Number(end.how))),
  }));
  return ends.toSorted((a, b) => a.after - b.after);
}

/** As far as anybody can tell. A launcher may know that a rank ends before the kernel is done with it, and end the others sooner than that. */
function isBefore(one: ToldEnd, other: ToldEnd): boolean {
  if (one.host === other.host && (!isByLauncher(one) || isByLauncher(other))) return one.after < other.after;
  return one.time + atOnce < other.time;
}

/** Perhaps. */
function isByLauncher({ how }: ToldEnd): boolean {
  return how !== '-' && sentByLaunchers.has(signalOf(endOf(Number(how)).signal ?? 0).name);
}

/** As wait(2) tells it. */
function endOf(how: number): Pick<RankEnd, 'status' | 'signal'> {
  return (how & 0x7f) === 0 ? { status: (how >> 8) & 0xff } : { signal: how & 0x7f };
}
