/** MPI's names for numbers, by the argument that a variable is passed as: -2 is MPI_PROC_NULL only if it is a rank. */
import type { SourceLocation } from './program-model';

/** A variable is passed to an MPI routine as a number. */
export interface NumberUse {
  /** MPI's name of the argument: "dest". */
  readonly argument: string;
  /** "fourth argument of MPI_Send" */
  readonly text: string;
  readonly location: SourceLocation;
}

const names: Readonly<Record<string, readonly string[]>> = {
  source: ['MPI_PROC_NULL', 'MPI_ANY_SOURCE'],
  dest: ['MPI_PROC_NULL'],
  rank_source: ['MPI_PROC_NULL'],
  rank_dest: ['MPI_PROC_NULL'],
  target_rank: ['MPI_PROC_NULL'],
  root: ['MPI_ROOT', 'MPI_PROC_NULL'],
  tag: ['MPI_ANY_TAG'],
  recvtag: ['MPI_ANY_TAG'],
  color: ['MPI_UNDEFINED'],
  // Ranks and tags without special values.
  ...{ rank: [], sendtag: [], local_leader: [], remote_leader: [] },
};

/** The constants that a variable with these uses may hold; none if one use is anything else, such as a count. */
export function numberNames(uses: readonly NumberUse[]): readonly string[] {
  const known = uses.map(({ argument }) => names[argument]);
  return known.includes(undefined) ? [] : [...new Set(known.flatMap((each) => each ?? []))];
}
