/** How C passes the arguments of MPI's routines, where Fortran passes an address of each: c-arguments.json, by scripts/write-c-arguments.ts. */
import data from './c-arguments.json';

/** long: MPI_Aint, MPI_Offset or MPI_Count. text: a string that MPI reads. pointer: to one handle. other: any other address. */
export type CArgument = 'int' | 'long' | 'text' | 'handle' | 'pointer' | 'other';

const letters: Readonly<Record<string, CArgument>> = { i: 'int', l: 'long', s: 'text', h: 'handle', p: 'pointer' };

const routines: Readonly<Record<string, string>> = data;

/** `routine`: "mpi_waitsome"; in the order of the C binding. undefined: it is not known. */
export function cArguments(routine: string): readonly CArgument[] | undefined {
  const known = Object.hasOwn(routines, routine) ? routines[routine] : undefined;
  return known === undefined ? undefined : [...known].map((letter) => letters[letter] ?? 'other');
}
