/** What the page of charts and the extension tell each other. */
import type { PvarClass } from '../../plugin-api/overlays/records';
import type { RankName } from '../ranks/rank-numbers';

/** A performance variable: two may share a name. */
export interface PvarKey {
  name: string;
  class: PvarClass;
}

export interface ChartedVariable extends PvarKey {
  id: string;
  /** Its class, and what its numbers are, for people. */
  words: string;
  description: string;
  /** It counts up, so that its change in a second says more than its value. */
  isCounter: boolean;
}

/** What a variable was in a rank. */
export interface RankSample {
  rank: RankName;
  /** In seconds of the rank's own clock. */
  time?: number;
  /** By the object that it is bound to; '' for all of them together. */
  values: Record<string, number>;
}

export type ToCharts =
  | { kind: 'charts'; charts: ChartedVariable[] }
  /** `at`: seconds that the job has run while it was charted. */
  | { kind: 'samples'; at: number; samples: Record<string, RankSample[]> }
  /** The job goes on after a pause: lines are not drawn across. */
  | { kind: 'break' }
  /** Another job has begun. */
  | { kind: 'restart' }
  | { kind: 'state'; text: string };

export type FromCharts = { kind: 'unpin'; id: string };
