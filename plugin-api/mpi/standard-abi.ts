/**
 * The predefined handles and integer constants of MPI 5's standard ABI, by name. A program compiled for it (mpicc_abi)
 * has these values whichever MPI's libmpi_abi.so.1 it runs with. Predefined handles are below 4096; handles of objects
 * that the program creates are the library's own. Both MPI plugins use this table.
 *
 * standard-abi.json was generated from the mpi.h of Open MPI 6.0.0rc2; MPICH 5.0.2 and the standard's appendix A have
 * the same values.
 */
import { integerConstants } from './integer-constants';
import type { MpiConstant } from './plugin';
import type { HandleKind } from './records';
import data from './standard-abi.json';

type PredefinedKind = Exclude<HandleKind, 'status'>;
const handles: Readonly<Record<PredefinedKind, Readonly<Record<string, string>>>> = data.handles;

/** The integer constants, by name. */
export const standardIntegers: Readonly<Record<string, number>> = data.integers;

/** A predefined handle is the same number in C and in Fortran. */
export const standardConstants: ReadonlyMap<string, MpiConstant> = new Map(allConstants());

function* allConstants(): Generator<[string, MpiConstant]> {
  for (const [kind, byName] of Object.entries(handles)) {
    for (const [name, hex] of Object.entries(byName))
      yield [name, { kind: 'handle', handleKind: kind as PredefinedKind, handle: BigInt(hex), fortran: Number(hex) }];
  }
  yield* integerConstants(standardIntegers, data.fortranIntegers);
}

/** Whether the value lies where only predefined handles do: handles of objects that a program creates are larger. */
export function isStandardConstant(handle: bigint): boolean {
  return handle > 0n && handle < 4096n;
}

/** The name of a predefined handle, "MPI_COMM_WORLD"; the first in the header if it has several. undefined: not one. */
export function standardName(kind: PredefinedKind, handle: bigint): string | undefined {
  return Object.entries(handles[kind]).find(([, hex]) => BigInt(hex) === handle)?.[0];
}

/** The name of an error class; undefined for any other number, such as a program's own error class. */
export function standardErrorName(value: number): string | undefined {
  return Object.entries(standardIntegers).find(([name, error]) => error === value && isErrorClass(name))?.[0];
}

export function isErrorClass(name: string): boolean {
  return name === 'MPI_SUCCESS' || (/^MPI_(T_)?ERR_/.test(name) && name !== 'MPI_ERR_LASTCODE');
}
