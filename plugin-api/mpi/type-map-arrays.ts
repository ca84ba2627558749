/** The type maps of MPI_Type_create_subarray and MPI_Type_create_darray, from their arguments. */
import { CorruptError } from '../result';
import { concatRuns, repeat, type Runs, shift } from './type-map-runs';

/** The value of an integer constant in this MPI; undefined if it has none of that name. */
export type ConstantOf = (name: string) => number | undefined;

/** One dimension of an array; `stride`: bytes from one index to the next. */
interface Dimension {
  size: number;
  stride: bigint;
}

const maxDimensions = 1 << 10;

/** integers: ndims, sizes[], subsizes[], starts[], order. `element`, `extent`: type map and extent of one element. */
export function subarrayRuns(integers: readonly number[], element: Runs, extent: bigint, constantOf: ConstantOf): Runs {
  const ndims = dimensionsOf(integers[0], 'MPI_COMBINER_SUBARRAY');
  const [sizes, subsizes, starts] = [0, 1, 2].map((i) => integers.slice(1 + i * ndims, 1 + (i + 1) * ndims));
  const order = fastestFirst(ndims, integers[1 + 3 * ndims], constantOf);
  const dimensions = strides(order, sizes ?? [], extent);
  return order.reduce((runs, dimension, i) => {
    const { stride } = dimensions[i]!;
    const [length, start] = [subsizes?.[dimension], starts?.[dimension]];
    if (length === undefined || start === undefined || length < 0) throw implausible('MPI_COMBINER_SUBARRAY');
    return shift(repeat(runs, length, stride), BigInt(start) * stride);
  }, element);
}

/** integers: size, rank, ndims, gsizes[], distribs[], dargs[], psizes[], order. */
export function darrayRuns(integers: readonly number[], element: Runs, extent: bigint, constantOf: ConstantOf): Runs {
  const ndims = dimensionsOf(integers[2], 'MPI_COMBINER_DARRAY');
  const [gsizes, distribs, dargs, psizes] = [0, 1, 2, 3].map((i) =>
    integers.slice(3 + i * ndims, 3 + (i + 1) * ndims),
  ) as [number[], number[], number[], number[]];
  const coordinates = gridCoordinates(integers[1] ?? -1, psizes);
  const order = fastestFirst(ndims, integers[3 + 4 * ndims], constantOf);
  const dimensions = strides(order, gsizes, extent);
  return order.reduce((runs, dimension, i) => {
    const { size, stride } = dimensions[i]!;
    const processes = psizes[dimension] ?? 0;
    const block = blockLength(distribs[dimension], dargs[dimension], size, processes, constantOf);
    return block === undefined
      ? repeat(runs, size, stride)
      : cyclic(runs, { size, stride }, block, processes, coordinates[dimension]!);
  }, element);
}

/** Coordinates in the process grid, which MPI numbers in row-major order whatever the order of the array. */
function gridCoordinates(rank: number, psizes: readonly number[]): number[] {
  const coordinates: number[] = [];
  let rest = rank;
  for (const size of [...psizes].reverse()) {
    if (size <= 0 || rest < 0) throw implausible('MPI_COMBINER_DARRAY');
    coordinates.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  if (rest !== 0) throw implausible('MPI_COMBINER_DARRAY');
  return coordinates;
}

/** The length of a process's contiguous blocks; undefined if the dimension is not distributed. */
function blockLength(
  distribution: number | undefined,
  argument: number | undefined,
  size: number,
  processes: number,
  constantOf: ConstantOf,
): number | undefined {
  const isDefault = argument === constantOf('MPI_DISTRIBUTE_DFLT_DARG');
  if (distribution === constantOf('MPI_DISTRIBUTE_NONE')) return undefined;
  if (distribution === constantOf('MPI_DISTRIBUTE_BLOCK') && isDefault) return Math.max(1, Math.ceil(size / processes));
  if (distribution === constantOf('MPI_DISTRIBUTE_CYCLIC') && isDefault) return 1;
  const isKnown =
    distribution === constantOf('MPI_DISTRIBUTE_BLOCK') || distribution === constantOf('MPI_DISTRIBUTE_CYCLIC');
  if (!isKnown || argument === undefined || argument <= 0) throw implausible('MPI_COMBINER_DARRAY');
  return argument;
}

/** The indices of process `own` in a block-cyclic distribution: full blocks, and a shorter one at the end. */
function cyclic(runs: Runs, { size, stride }: Dimension, block: number, processes: number, own: number): Runs {
  const first = own * block;
  const round = processes * block;
  const whole = first + block > size ? 0 : Math.floor((size - first - block) / round) + 1;
  const rest = Math.max(0, size - first - whole * round);
  const blocks = repeat(repeat(runs, block, stride), whole, BigInt(round) * stride);
  const last = repeat(runs, Math.min(rest, block), stride);
  return concatRuns([shift(blocks, BigInt(first) * stride), shift(last, BigInt(first + whole * round) * stride)]);
}

function dimensionsOf(ndims: number | undefined, combiner: string): number {
  if (ndims === undefined || ndims < 1 || ndims > maxDimensions) throw implausible(combiner);
  return ndims;
}

/** The indices of the dimensions, the one that varies fastest in memory first. */
function fastestFirst(ndims: number, order: number | undefined, constantOf: ConstantOf): number[] {
  const ascending = Array.from({ length: ndims }, (_, i) => i);
  if (order === constantOf('MPI_ORDER_FORTRAN')) return ascending;
  if (order === constantOf('MPI_ORDER_C')) return ascending.reverse();
  throw new CorruptError(`${order} is not an array order`);
}

function strides(order: readonly number[], sizes: readonly number[], extent: bigint): Dimension[] {
  let stride = extent;
  return order.map((dimension) => {
    const size = sizes[dimension];
    if (size === undefined || size < 1) throw new CorruptError(`an array of ${size} elements is not plausible`);
    const here = { size, stride };
    stride *= BigInt(size);
    return here;
  });
}

function implausible(combiner: string): CorruptError {
  return new CorruptError(`the arguments of ${combiner} are not plausible`);
}
