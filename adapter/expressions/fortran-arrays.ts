/**
 * Arrays whose elements lie backwards in memory, such as `heads => target(10:1:-3)`. gdb (13 to 18) prints them whole, but
 * reads their elements and sections, and the children of a variable object, from other memory. Written forwards, as
 * `heads(4:1:-1)`, they are arrays as any other to it, and by the rules of Fortran `heads(2)` is `heads(4:1:-1)(3)`.
 */
import type { GdbThread } from '../gdb/mi/context';
import { addressOf } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { elementOfClass, prepareComponents } from '../gdb/python/fortran-components';
import { arrayByDescriptor, describedSource } from '../gdb/python/fortran-descriptors';
import { typeOf } from '../gdb/variable-objects';
import { classOf, boundsOf, dimensions, isOfUnsizedTexts, lowBounds, type Bounds } from '../gdb/fortran-type';
import { grouped, isRange, rangeParts, postfixStepsAt, subscriptsOf } from './access-path';

interface Dimension extends Bounds {
  isBackwards: boolean;
}

/** An array as its elements can be read by gdb. */
export interface ForwardArray {
  /** The array; `isSection`: the section of it in which all dimensions ascend in memory, each counted from 1. */
  source: string;
  isSection: boolean;
  /** The dimensions of the array. */
  dimensions: readonly Dimension[];
  /** The expression for a CLASS, which knows the type of the elements. */
  polymorphic?: string;
  /** For an array whose type only gfortran's descriptor tells: the expression inside describedSource. */
  described?: string;
}

/** `type`: of the source's value. undefined: it is no array, or has bounds that gdb does not know. Rejects with GdbError. */
export async function arrayOfType(
  evalFrame: ArrayFrame,
  source: string,
  type: string | undefined,
): Promise<ForwardArray | undefined> {
  const described = describedSource(source);
  const bounds = boundsOf(type);
  if (described !== undefined) return bounds && { ...whole(source, bounds), described };
  if (isOfUnsizedTexts(type)) {
    const array = arrayByDescriptor(source);
    await prepareComponents(evalFrame.thread.gdb, array);
    return { ...whole(array, bounds ?? openBounds(type)), described: source };
  }
  const polymorphic = classOf(type);
  if (polymorphic?.isArray === true && polymorphic.isUnlimited) return arrayInDescriptor(evalFrame, source);
  if (polymorphic?.isArray === true) {
    const data = `${source}%_data`;
    const array = await arrayOfType(evalFrame, data, await typeOf({ ...evalFrame, language: 'fortran' }, data));
    return array && { ...array, polymorphic: source };
  }
  return bounds && forwardArray(evalFrame, source, bounds);
}

/** An array that gdb does not know, but its descriptor does. Rejects with GdbError where that does not tell either. */
export async function arrayInDescriptor(evalFrame: ArrayFrame, source: string): Promise<ForwardArray> {
  const array = arrayByDescriptor(source);
  await prepareComponents(evalFrame.thread.gdb, array);
  const found = await arrayOfType(evalFrame, array, await typeOf({ ...evalFrame, language: 'fortran' }, array));
  if (found === undefined) throw new GdbError(`the descriptor of ${source} tells no type`, array);
  return found;
}

/** The bounds of an array whose last bound only the caller knows. */
const openBounds = (type: string | undefined): Bounds[] =>
  dimensions(type).map((each, index) => ({
    low: lowBounds(type)[index]!,
    high: each.endsWith('*') ? Infinity : Number(/-?\d+$/.exec(each)?.[0]),
  }));

const whole = (source: string, bounds: readonly Bounds[]): ForwardArray => ({
  source,
  isSection: false,
  dimensions: bounds.map(ascending),
});

type ArrayFrame = { thread: GdbThread; frame: number };

async function forwardArray(evalFrame: ArrayFrame, source: string, bounds: readonly Bounds[]): Promise<ForwardArray> {
  const isEmpty = bounds.some(({ low, high }) => high < low);
  const dimensions = isEmpty ? bounds.map(ascending) : await directions(evalFrame, source, bounds);
  if (!dimensions.some(({ isBackwards }) => isBackwards)) return whole(source, bounds);
  const ranges = dimensions.map(({ low, high, isBackwards }) => (isBackwards ? `${high}:${low}:-1` : `${low}:${high}`));
  return { source: `${grouped(source)}(${ranges.join(',')})`, isSection: true, dimensions };
}

const ascending = (bounds: Bounds): Dimension => ({ ...bounds, isBackwards: false });

async function directions(evalFrame: ArrayFrame, source: string, bounds: readonly Bounds[]): Promise<Dimension[]> {
  const first = bounds.map(({ low }) => low);
  const origin = await addressOfElement(evalFrame, source, first);
  return Promise.all(
    bounds.map(async (each, dimension) => {
      if (each.high === each.low) return ascending(each);
      const next = await addressOfElement(evalFrame, source, first.with(dimension, each.low + 1));
      // gdb divides the negative number of bits as an unsigned one: the address is far beyond all memory then.
      return { ...each, isBackwards: next < origin || next - origin > maxElementDistance };
    }),
  );
}

/** No process has as much memory between two elements. */
const maxElementDistance = 1n << 56n;

async function addressOfElement(
  { thread, frame }: ArrayFrame,
  source: string,
  indexes: readonly number[],
): Promise<bigint> {
  const expression = `&(${grouped(source)}(${indexes.join(',')}))`;
  const address = await addressOf(thread, frame, expression);
  if (address === undefined) throw new GdbError(`${source} has no address`, expression);
  return address;
}

/** The element or section with these subscripts of the array itself, as gdb reads it. */
export function subscripted(array: ForwardArray, subscripts: readonly string[]): string {
  const { source, isSection, dimensions, polymorphic, described } = array;
  const isAll = subscripts.length === dimensions.length;
  if (described !== undefined && isAll && !subscripts.some(isRange)) return arrayByDescriptor(described, subscripts);
  const written = isSection && isAll ? subscripts.map((each, i) => inSection(each, dimensions[i]!)) : subscripts;
  const part = `${grouped(source)}(${written.join(',')})`;
  const isElement = isAll && !subscripts.some(isRange);
  return isElement && polymorphic !== undefined ? elementOfClass(part, polymorphic) : part;
}

/** The elements of `ranges`, and of all dimensions behind them at `indexes`, in the order of memory. */
export function ascendingPart(array: ForwardArray, ranges: readonly Bounds[], indexes: readonly string[]): string {
  const written = ranges.map(({ low, high }, i) =>
    array.dimensions[i]?.isBackwards === true && high > low ? `${high}:${low}:-1` : `${low}:${high}`,
  );
  return subscripted(array, [...written, ...indexes]);
}

/** The subscript (`2`, `i + 1`, `:`, `2:4`, `::2`) for the same place in a section that ascends and begins with 1. */
function inSection(subscript: string, dimension: Dimension): string {
  const { low, high, isBackwards } = dimension;
  const position = (index: string): string => {
    const [number, base] = [Number(index), isBackwards ? high + 1 : low - 1];
    if (index.trim() !== '' && Number.isInteger(number)) return String(isBackwards ? base - number : number - base);
    return isBackwards ? `${base}-(${index})` : `(${index})-(${base})`;
  };
  if (!isRange(subscript)) return position(subscript);
  const [from = '', to = '', stride = '1'] = rangeParts(subscript);
  const isReversed = /^-/.test(stride);
  const begin = position(from === '' ? String(isReversed ? high : low) : from);
  const end = position(to === '' ? String(isReversed ? low : high) : to);
  // gdb refuses a stride for one element.
  if (begin === end) return `${begin}:${end}`;
  return `${begin}:${end}:${isBackwards ? opposite(stride) : stride}`;
}

function opposite(stride: string): string {
  return stride.startsWith('-') ? stride.slice(1) : `-${stride}`;
}

/** gdb takes `n:n` for one name. */
const spaced = (subscript: string): string => (isRange(subscript) ? rangeParts(subscript).join(' : ') : subscript);

export interface PartsForGdb {
  /** undefined: it is no array. */
  arrayOf(source: string): Promise<ForwardArray | undefined>;
  /** The component of an object. */
  componentOf(object: string, name: string): Promise<string>;
  /** What has parentheses and is no array; `args`: for gdb. */
  callOf(name: string, args: readonly string[]): Promise<string>;
}

/** The expression with all elements and components as gdb reads them, from the left. */
export async function withParts(source: string, parts: PartsForGdb): Promise<string> {
  // The name in `.and.` would begin a chain of components, or belong to one.
  const written = await withPartsOf(source.replace(/"[^"]*"|'[^']*'|\.([A-Za-z]+)\./g, markedOperator), parts);
  return written.replaceAll(mark, '.');
}

const mark = '\u0001';

const markedOperator = (whole: string, operator: string | undefined): string =>
  operator === undefined ? whole : `${mark}${operator}${mark}`;

async function withPartsOf(source: string, parts: PartsForGdb): Promise<string> {
  const start = /"[^"]*"|'[^']*'|[A-Za-z_$][\w$]*/g;
  let written = '';
  let end = 0;
  for (let match = start.exec(source); match !== null; match = start.exec(source)) {
    if (/^["']/.test(match[0])) continue;
    const chain = postfixStepsAt(source, match.index);
    written += source.slice(end, match.index);
    written += await chain.steps.reduce(async (before, { text, sort }) => {
      const whole = await before;
      if (sort === 'member' && text.includes('%')) return parts.componentOf(whole, text.replace(/[%\s]/g, ''));
      if (sort !== 'call') return whole + text;
      const written = await Promise.all(subscriptsOf(text).map((each) => withParts(each, parts)));
      const subscripts = written.map(spaced);
      const array = subscripts.length === 0 ? undefined : await parts.arrayOf(whole);
      return array === undefined ? parts.callOf(whole, subscripts) : subscripted(array, subscripts);
    }, Promise.resolve(''));
    end = start.lastIndex = Math.max(chain.end, start.lastIndex);
  }
  return written + source.slice(end);
}
