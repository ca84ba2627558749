/** Ranks that end because MPI has told them that another one failed. */
import type { Death } from './death';

/**
 * MPICH tells the other members of a communicator with an error handler of its own, and each exits with the code of that error, which
 * holds a number of the rank that made it. They have had no error themselves, so no function of theirs is known.
 */
export function isToldToExit({ kind, function: name, error }: Death, others: readonly Death[]): boolean {
  if (kind !== 'mpiError' || name !== '' || error === undefined) return false;
  return others.some((each) => each.kind === 'mpiError' && each.function !== '' && each.error?.code === error.code);
}
