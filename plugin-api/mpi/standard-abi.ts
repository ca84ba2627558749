/**
 * The predefined handles and integer constants of MPI 5's standard ABI, by name: what they are in a program that is
 * compiled for it (mpicc_abi; it runs with libmpi_abi.so.1 of any MPI), whichever MPI it runs with. Handles lie below
 * 4096; those of objects that the program makes are the library's own. Both MPI plugins read them here.
 *
 * standard-abi.json: from the mpi.h of Open MPI 6.0.0rc2, whose values are those of MPICH 5.0.2's, and of the standard's
 * appendix A.
 */
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
  for (const [name, value] of Object.entries(standardIntegers)) yield [name, { kind: 'integer', value }];
}

/** No handle of an object that a program made is as small. */
export function isStandardConstant(handle: bigint): boolean {
  return handle > 0n && handle < 4096n;
}

/** The constant's name, "MPI_COMM_WORLD"; of several the first of the header. undefined: none of the kind. */
export function standardName(kind: PredefinedKind, handle: bigint): string | undefined {
  return Object.entries(handles[kind]).find(([, hex]) => BigInt(hex) === handle)?.[0];
}

/** The name of an error class; undefined for a number that is none, as a program's own are. */
export function standardErrorName(value: number): string | undefined {
  return Object.entries(standardIntegers).find(([name, error]) => error === value && isErrorClass(name))?.[0];
}

export function isErrorClass(name: string): boolean {
  return name === 'MPI_SUCCESS' || (/^MPI_(T_)?ERR_/.test(name) && name !== 'MPI_ERR_LASTCODE');
}
