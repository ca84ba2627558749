/**
 * The type map of a datatype, computed from its constructors' arguments: the basic types and their displacements, in
 * the order in which MPI packs them (MPI standard, chapter Datatypes). Extents are those stored in the library.
 */
import { CorruptError } from '../result';
import { integer } from './integer';
import type { DatatypeInfo, Unavailable } from './records';
import { darrayRuns, subarrayRuns, type ConstantOf } from './type-map-arrays';
import {
  appendRuns,
  concatRuns,
  coveredBytes,
  empty,
  repeat,
  type Run,
  type Runs,
  runLimit,
  shift,
} from './type-map-runs';

/** How a datatype was constructed. Its constituent types may be shared: together they are an acyclic graph. */
export interface TypeConstruction {
  /** The name of a named type: "MPI_INT". */
  name: string;
  /** "MPI_COMBINER_VECTOR". */
  combiner: string;
  /** Bytes of data in one element. */
  size: bigint;
  lb: bigint;
  extent: bigint;
  /** The constructor's arguments in the order of MPI_Type_get_contents. */
  integers: readonly number[];
  addresses: readonly bigint[];
  datatypes: readonly TypeConstruction[];
}

type TypeMap = Exclude<DatatypeInfo['typeMap'], Unavailable>;

/** Elements that `text` writes out. */
const maxTextLength = 64;

/**
 * `runs`: `count` elements of `type`, `stride` bytes apart (for a single element, its size). `holes`: bytes from lb to
 * lb + extent that no element covers. A map of more than 1 024 runs is cut off; `holes` is then extent minus size,
 * which is right unless elements overlap or lie outside the bounds. `text` ends with "…" after 64 elements.
 * `truncated`: either was cut. Throws CorruptError for arguments that no MPI call accepts.
 */
export function typeMapOf(type: TypeConstruction, constantOf: ConstantOf): TypeMap {
  const { list, isCut } = new TypeMapBuilder(constantOf).runsOf(type);
  const elements = list.reduce((sum, run) => sum + run.count, 0n);
  const covered = isCut ? undefined : coveredBytes(list, type.lb, type.lb + type.extent);
  const holes = type.extent - (covered ?? type.size);
  return {
    runs: list.map(({ type: name, displacement, count, stride }) => ({
      type: name,
      displacement: integer(displacement),
      count: Number(count),
      stride: Number(stride),
    })),
    holes: holes > 0n ? Number(holes) : 0,
    text: textOf(list, isCut || elements > BigInt(maxTextLength)),
    truncated: isCut || elements > BigInt(maxTextLength),
  };
}

/**
 * The bytes of data before `offset` in consecutive elements of the type, as in a file view. undefined: the type cannot
 * be a filetype, because its displacements are negative, decrease or overlap. Throws CorruptError for arguments that no
 * MPI call accepts, and for more than 1 024 runs.
 */
export function dataBefore(type: TypeConstruction, offset: bigint, constantOf: ConstantOf): bigint | undefined {
  const { list, isCut } = new TypeMapBuilder(constantOf).runsOf(type);
  if (isCut || type.extent <= 0n) throw new CorruptError(`the file view (${type.combiner}) is too complex`);
  if (!isAscending(list)) return undefined;
  const elements = floor(offset - type.lb, type.extent);
  const rest = offset - elements * type.extent;
  const inRuns = list.map((run) => bytesBefore(run, rest)).reduce((sum, bytes) => sum + bytes, 0n);
  return elements * type.size + inRuns;
}

function isAscending(list: readonly Run[]): boolean {
  let end = 0n;
  return list.every(({ displacement, size, count, stride }) => {
    const isBehind = displacement >= end && (count === 1n || stride >= size);
    end = displacement + (count - 1n) * stride + size;
    return isBehind;
  });
}

function bytesBefore({ displacement, size, count, stride }: Run, offset: bigint): bigint {
  const inside = offset - displacement;
  if (inside <= 0n) return 0n;
  if (stride <= 0n) return inside < size ? inside : size * count;
  const whole = floor(inside, stride);
  if (whole >= count) return count * size;
  const part = inside - whole * stride;
  return whole * size + (part < size ? part : size);
}

function floor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

function textOf(list: readonly Run[], isTruncated: boolean): string {
  const entries: string[] = [];
  for (const { type, displacement, count, stride } of list) {
    for (let i = 0n; i < count && entries.length < maxTextLength; i++)
      entries.push(`(${type}, ${displacement + i * stride})`);
  }
  return `{${[...entries, ...(isTruncated ? ['…'] : [])].join(', ')}}`;
}

class TypeMapBuilder {
  private readonly known = new Map<TypeConstruction, Runs>();

  constructor(private readonly constantOf: ConstantOf) {}

  runsOf(type: TypeConstruction): Runs {
    let runs = this.known.get(type);
    if (runs === undefined) {
      runs = this.build(type);
      this.known.set(type, runs);
    }
    return runs;
  }

  private build(type: TypeConstruction): Runs {
    const { combiner, integers, addresses } = type;
    const count = (index: number): number => {
      const value = integers[index];
      if (value === undefined || value < 0) throw implausible(combiner);
      return value;
    };
    switch (combiner.replace('MPI_COMBINER_', '')) {
      case 'NAMED':
      case 'F90_REAL':
      case 'F90_COMPLEX':
      case 'F90_INTEGER':
        return basicRuns(type);
      case 'DUP':
      case 'RESIZED':
        return this.inner(type).runs;
      case 'CONTIGUOUS':
        return this.block(type, count(0));
      case 'VECTOR':
        return repeat(this.block(type, count(1)), count(0), this.inElements(type, integers[2]));
      case 'HVECTOR':
        return repeat(this.block(type, count(1)), count(0), required(addresses[0], combiner));
      case 'INDEXED':
        return this.blocks(type, count(0), (i) => [count(1 + i), this.inElements(type, integers[1 + count(0) + i])]);
      case 'HINDEXED':
        return this.blocks(type, count(0), (i) => [count(1 + i), required(addresses[i], combiner)]);
      case 'INDEXED_BLOCK':
        return this.blocks(type, count(0), (i) => [count(1), this.inElements(type, integers[2 + i])]);
      case 'HINDEXED_BLOCK':
        return this.blocks(type, count(0), (i) => [count(1), required(addresses[i], combiner)]);
      case 'STRUCT':
        return this.blocks(type, count(0), (i) => [count(1 + i), required(addresses[i], combiner)], true);
      case 'SUBARRAY': {
        const { runs, extent } = this.inner(type);
        return subarrayRuns(integers, runs, extent, this.constantOf);
      }
      case 'DARRAY': {
        const { runs, extent } = this.inner(type);
        return darrayRuns(integers, runs, extent, this.constantOf);
      }
      default:
        throw new CorruptError(`cannot compute the type map of ${combiner}`);
    }
  }

  private inner({ combiner, datatypes }: TypeConstruction, index = 0): { runs: Runs; extent: bigint } {
    const type = datatypes[index];
    if (type === undefined) throw implausible(combiner);
    return { runs: this.runsOf(type), extent: type.extent };
  }

  private inElements(type: TypeConstruction, elements: number | undefined): bigint {
    return BigInt(required(elements, type.combiner)) * this.inner(type).extent;
  }

  private block(type: TypeConstruction, length: number, index = 0): Runs {
    const { runs, extent } = this.inner(type, index);
    return repeat(runs, length, extent);
  }

  /** Blocks with their lengths and displacements in bytes. `isStruct`: each block has its own type. */
  private blocks(
    type: TypeConstruction,
    count: number,
    block: (index: number) => [length: number, displacement: bigint],
    isStruct = false,
  ): Runs {
    const all: Runs = { list: [], isCut: false };
    for (let i = 0; i < count && all.list.length <= runLimit; i++) {
      const [length, displacement] = block(i);
      appendRuns(all, shift(this.block(type, length, isStruct ? i : 0), displacement));
    }
    return all;
  }
}

function required<T>(value: T | undefined, combiner: string): T {
  if (value === undefined) throw implausible(combiner);
  return value;
}

function implausible(combiner: string): CorruptError {
  return new CorruptError(`the arguments of ${combiner} are not plausible`);
}

/** Pair types for MPI_MINLOC and MPI_MAXLOC, which the standard defines as structs: pair → its first member. */
const pairs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MPI_FLOAT_INT: 'MPI_FLOAT',
    MPI_DOUBLE_INT: 'MPI_DOUBLE',
    MPI_LONG_INT: 'MPI_LONG',
    MPI_SHORT_INT: 'MPI_SHORT',
    MPI_LONG_DOUBLE_INT: 'MPI_LONG_DOUBLE',
  }),
);

/** Pairs of two equal members: pair → member. */
const twins: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MPI_2INT: 'MPI_INT',
    MPI_2INTEGER: 'MPI_INTEGER',
    MPI_2REAL: 'MPI_REAL',
    MPI_2DOUBLE_PRECISION: 'MPI_DOUBLE_PRECISION',
    MPI_2COMPLEX: 'MPI_COMPLEX',
    MPI_2DOUBLE_COMPLEX: 'MPI_DOUBLE_COMPLEX',
  }),
);

/** Size and alignment of an int in every ABI that these libraries have been built for. */
const intSize = 4n;

function basicRuns({ name, combiner, size }: TypeConstruction): Runs {
  // MPI_LB and MPI_UB only mark bounds.
  if (size <= 0n) return empty;
  const first = pairs.get(name);
  if (first !== undefined) {
    const firstSize = size - intSize;
    const behind = ((firstSize + intSize - 1n) / intSize) * intSize;
    return concatRuns([one(first, firstSize), shift(one('MPI_INT', intSize), behind)]);
  }
  const twin = twins.get(name);
  if (twin !== undefined) return repeat(one(twin, size / 2n), 2, size / 2n);
  return one(combiner === 'MPI_COMBINER_NAMED' ? name || 'an unnamed type' : f90Name(combiner, size), size);
}

/**
 * Types made by MPI_Type_create_f90_* have no name: this is the name of the sized type with the same representation.
 */
function f90Name(combiner: string, size: bigint): string {
  return `MPI_${combiner.replace('MPI_COMBINER_F90_', '')}${size}`;
}

function one(type: string, size: bigint): Runs {
  return { list: [{ type, size, displacement: 0n, count: 1n, stride: size }], isCut: false };
}
