/**
 * The predefined handles and the integer constants of MPICH's mpi.h, by name. The values are MPICH's own binary
 * interface, the same in every release from 3.4 to 5.0; constants.json holds those of 4.0.2, and what 4.2 and 5.0 add.
 */
import { integerConstants } from '../../mpi/integer-constants';
import type { MpiConstant } from '../../mpi/plugin';
import type { HandleKind } from '../../mpi/records';
import { standardIntegers } from '../../mpi/standard-abi';
import { CorruptError } from '../../result';
import data from './constants.json';
import type { Library } from './library';

type PredefinedKind = Exclude<HandleKind, 'status'>;
const handles: Readonly<Record<PredefinedKind, Readonly<Record<string, string>>>> = data.handles;

export const constants: ReadonlyMap<string, MpiConstant> = new Map(allConstants());

function* allConstants(): Generator<[string, MpiConstant]> {
  for (const [kind, byName] of Object.entries(handles)) {
    for (const [name, hex] of Object.entries(byName)) {
      const handle = BigInt(hex);
      yield [
        name,
        { kind: 'handle', handleKind: kind as PredefinedKind, handle, fortran: Number(BigInt.asIntN(32, handle)) },
      ];
    }
  }
  yield* integerConstants(data.integers, data.fortranIntegers);
  for (const [name, value] of Object.entries(data.pointers))
    yield [name, { kind: 'pointer', address: BigInt.asUintN(64, BigInt(value)) }];
}

/** The constants of each kind, by handle; of several names of one handle the first. */
const names = new Map<HandleKind, Map<bigint, string>>();
for (const [name, constant] of constants) {
  if (constant.kind !== 'handle') continue;
  const { handleKind: kind, handle } = constant;
  const ofKind = names.get(kind) ?? new Map<bigint, string>();
  names.set(kind, ofKind);
  if (!ofKind.has(handle)) ofKind.set(handle, name);
}

/** The constant's name, "MPI_COMM_WORLD"; undefined for a handle that is not predefined. */
export function predefinedName(kind: HandleKind, handle: bigint): string | undefined {
  return names.get(kind)?.get(handle);
}

const builtinDatatype = 0x4c000000n;
const builtinBits = 0xfc000000n;
const ownTypeBits = 0x3ff0000n;
const indexBits = 0xffn;
const datatypesByIndex = new Map(
  Object.values(handles.datatype)
    .map(BigInt)
    .filter((handle) => (handle & builtinBits) === builtinDatatype)
    .map((handle) => [handle & indexBits, handle]),
);

/**
 * The datatype that the program has passed: since 5.0 MPICH works with types of its own in place of the predefined ones
 * (MPI_INT becomes 0x4c810405), and keeps the index of the program's in the lowest byte.
 */
export function passedDatatype(handle: bigint): bigint {
  const isOwn = (handle & builtinBits) === builtinDatatype && (handle & ownTypeBits) !== 0n;
  return (isOwn ? datatypesByIndex.get(handle & indexBits) : undefined) ?? handle;
}

/** The integer constants of one mpi.h. */
export class Integers {
  readonly entries: readonly (readonly [string, number])[];

  constructor(private readonly values: Readonly<Record<string, number>>) {
    this.entries = Object.entries(values);
  }

  /** undefined for a name that this mpi.h does not have. */
  get(name: string): number | undefined {
    return this.values[name];
  }

  /** The value of a name that every mpi.h has. Throws CorruptError. */
  of(name: string): number {
    const value = this.values[name];
    if (value === undefined) throw new CorruptError(`this MPI has no ${name}`);
    return value;
  }
}

const ownIntegers = new Integers(data.integers);
const integersOfStandard = new Integers(standardIntegers);

/** Those that the library and its programs were compiled with. */
export function integersOf({ isStandardAbi }: Pick<Library, 'isStandardAbi'>): Integers {
  return isStandardAbi ? integersOfStandard : ownIntegers;
}

/** The predefined handles of the kind, without the null handle; none twice. */
export function predefinedHandles(kind: HandleKind): bigint[] {
  return [...(names.get(kind) ?? [])].flatMap(([handle, name]) => (name.endsWith('_NULL') ? [] : [handle]));
}

/** MPIR_Comm_kind_t, of comm_kind. */
export const intercomm = 1;
