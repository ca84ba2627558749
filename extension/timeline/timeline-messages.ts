/** What the page of the timeline and the extension tell each other. Times are seconds since the first collector began. */

import type { RankName } from '../ranks/rank-numbers';

export interface TimelineItem {
  name: string;
  sort: 'call' | 'openmp' | 'event';
  begin: number;
  /** For what lasts: undefined while it has not ended. */
  end?: number;
  isMoment?: boolean;
  /** A notice that the MPI library has dropped events of this name, at some time from then until it came. */
  droppedSince?: number;
  /** In a line. */
  words: string;
  /** "solver.c:88" */
  place?: string;
  source?: { file: string; line: number };
  /** The handle of the communicator. */
  comm?: string;
}

export interface ThreadItems {
  thread: number;
  items: TimelineItem[];
  /** There were others before this time, which nobody has kept. */
  lostBefore?: number;
}

export type ToTimeline =
  | { kind: 'items'; rank: RankName; threads: ThreadItems[] }
  /** All ranks were asked. `now`: until then all is known; `notes`: why there is nothing, and of whom; `stands`: no rank runs. */
  | { kind: 'asked'; notes: string[]; now?: number; stands?: boolean }
  | { kind: 'restart' };

export type FromTimeline =
  { kind: 'source'; rank: RankName; file: string; line: number } | { kind: 'comm'; rank: RankName; handle: string };
