/** Which variable a range of memory lies in, by what gdb told of all variables. */
import type { BufferPlace } from '../../../plugin-api/mpi/records';
import type { VariablePlaces, VariableRoot } from '../../gdb/python/variable-places';
import { nameOfBox, nameOfAll } from '../../values/place-name';

/** The variables of one thread's frames, or the global ones. */
export interface ToldVariables {
  places: VariablePlaces;
  functionOf: (root: VariableRoot) => string | undefined;
  /** The number of the thread within the rank, of another than the first. */
  thread?: number;
}

/** Where something was found. `end`: of the variable, or of the block that it points to, as far as that is known. */
export interface FoundVariable {
  place: Pick<BufferPlace, 'expression' | 'isPointer' | 'function' | 'thread'>;
  end?: bigint;
  /** The end is that of a block of malloc's, which may be a little larger than what the program asked for: never smaller. */
  isBlock?: boolean;
}

type Place = VariablePlaces['places'][number];

/**
 * A buffer of so many bytes that begins at `address`: in a variable's own memory before what pointers lead to, in the order in
 * which the variables were told.
 */
export function findVariable(
  told: readonly ToldVariables[],
  address: bigint,
  bytes: bigint,
): FoundVariable | undefined {
  const inside = told.flatMap((each) =>
    each.places.places.flatMap((place) => {
      const indices = indicesOf(place, address);
      return indices === undefined ? [] : [{ each, place, indices }];
    }),
  );
  const isOwn = ({ each, place }: (typeof inside)[number]): boolean => holds(each.places.roots[place.root]!, address);
  const found = inside.find(isOwn) ?? inside[0];
  if (found !== undefined) {
    const { each, place, indices } = found;
    const root = each.places.roots[place.root]!;
    const isBlock = !holds(root, address);
    const end = isBlock ? endOfBlock(place) : BigInt(root.address!) + BigInt(root.size!);
    return {
      isBlock,
      place: { expression: nameOf(root, place, indices, bytes), ...whose(each, root) },
      ...(end === undefined ? {} : { end }),
    };
  }
  for (const each of told) {
    for (const { root: number, expression, address: target } of each.places.leftOut) {
      const root = each.places.roots[number]!;
      if (target === address) return { place: { expression, isPointer: true, ...whose(each, root) } };
    }
  }
  return undefined;
}

function holds({ address, size }: VariableRoot, wanted: bigint): boolean {
  if (address === undefined || size === undefined) return false;
  const start = BigInt(address);
  return start <= wanted && wanted < start + BigInt(size);
}

function endOfBlock({ address, format, parts, dimensions }: Place): bigint | undefined {
  const [first] = dimensions;
  if (dimensions.length !== 1 || first?.least === undefined) return undefined;
  return address + BigInt((first.count - 1) * first.stride + Math.max(first.stride, format * parts));
}

/** The indices of the element that the address lies in; undefined: in none. */
function indicesOf({ address, format, parts, dimensions }: Place, wanted: bigint): number[] | undefined {
  const offset = wanted - address;
  const lowest = BigInt(dimensions.reduce((sum, { count, stride }) => sum + Math.min(0, (count - 1) * stride), 0));
  const highest = BigInt(dimensions.reduce((sum, { count, stride }) => sum + Math.max(0, (count - 1) * stride), 0));
  if (offset < lowest || offset >= highest + BigInt(format * parts)) return undefined;
  let left = Number(offset - lowest);
  const indices = dimensions.map(() => 0);
  const order = dimensions
    .map((_, i) => i)
    .sort((a, b) => Math.abs(dimensions[b]!.stride) - Math.abs(dimensions[a]!.stride));
  for (const i of order) {
    const { count, stride } = dimensions[i]!;
    const step = Math.abs(stride);
    const index = step === 0 ? 0 : Math.min(count - 1, Math.floor(left / step));
    left -= index * step;
    indices[i] = stride < 0 ? count - 1 - index : index;
  }
  return left < format * parts ? indices : undefined;
}

/**
 * "edge[0]" where it is all of a row, "u[5..9]" where it is a part, "u" where it is all: the bytes lie one after the other. What
 * is more than the variable has is left out.
 */
function nameOf(root: VariableRoot, place: Place, indices: readonly number[], bytes: bigint): string {
  const { dimensions, format, parts } = place;
  const named = { ...place, language: root.language };
  const order = dimensions.map((_, i) => i).sort((a, b) => dimensions[a]!.stride - dimensions[b]!.stride);
  let step = BigInt(format * parts);
  const to = [...indices];
  const whole = new Set<number>();
  for (const i of order) {
    const { count, stride } = dimensions[i]!;
    if (BigInt(stride) !== step || bytes < 2n * step) break;
    const isAll = indices[i] === 0 && bytes >= step * BigInt(count);
    to[i] = isAll ? count - 1 : Math.min(count - 1, indices[i]! + Number((bytes + step - 1n) / step) - 1);
    if (!isAll) break;
    whole.add(i);
    step *= BigInt(count);
  }
  if (dimensions.length > 0 && whole.size === dimensions.length && typeof place.name.at(-1) !== 'string')
    return nameOfAll(named);
  return shortened(nameOfBox(named, indices, to), place, whole, root.language);
}

/** In C the subscripts of whole rows are left out at the end; in Fortran they are written as ":". */
function shortened(text: string, { name, dimensions }: Place, whole: ReadonlySet<number>, language: string): string {
  if (language === 'fortran') {
    const last = name.at(-1);
    if (last === undefined || typeof last === 'string') return text;
    const parts = text.slice(text.lastIndexOf('(') + 1, -1).split(',');
    const written = parts.map((part, i) => (whole.has(last.subscripts[i]!) ? ':' : part));
    return `${text.slice(0, text.lastIndexOf('('))}(${written.join(',')})`;
  }
  let short = text;
  for (let i = dimensions.length - 1; i >= 0 && whole.has(i) && short.endsWith(']'); i--)
    short = short.slice(0, short.lastIndexOf('['));
  return short;
}

function whose(each: ToldVariables, root: VariableRoot): Pick<BufferPlace, 'function' | 'thread'> {
  const name = each.functionOf(root);
  return {
    ...(name === undefined ? {} : { function: name }),
    ...(each.thread === undefined || root.frame === undefined ? {} : { thread: each.thread }),
  };
}
