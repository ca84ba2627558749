/** Ranks that end because MPI has told them that another one failed. */
import type { Death } from './death';

/** `within`: the innermost call of MPI on its stack, of those that the library makes itself too; undefined: not known. */
export interface EndingRank {
  death: Death;
  within: string | undefined;
}

/**
 * MPICH tells the other members of a communicator with an error handler of its own, and each exits with the code of that error, which
 * holds a number of the rank that made it. They have had no error themselves, so no function of theirs is known. Of errors with files none
 * is known of anybody: those who have had them exit in a call for files, the others in one that waits for messages.
 */
export function isToldToExit({ death, within }: EndingRank, others: readonly EndingRank[]): boolean {
  if (!isOfNoFunction(death)) return false;
  const alike = others.filter((each) => each.death.kind === 'mpiError' && each.death.error?.code === death.error?.code);
  if (alike.some((each) => !isOfNoFunction(each.death))) return true;
  const isInFile = (call: string | undefined): boolean => call?.startsWith('MPI_File_') === true;
  return within !== undefined && !isInFile(within) && alike.some((each) => isInFile(each.within));
}

function isOfNoFunction({ kind, function: name, error }: Death): boolean {
  return kind === 'mpiError' && name === '' && error !== undefined;
}
