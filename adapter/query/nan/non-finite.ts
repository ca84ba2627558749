/** Finds the numbers that are NaN or infinite in the memory of a place, without gdb: as fast as memory is read. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { Dimension, FloatFormat, FloatPlace } from '../../gdb/python/float-places';

export type NonFiniteKind = 'NaN' | 'Infinity' | '-Infinity';

/** What a place holds. Indices are positions in each dimension, 0 the first. */
export interface NonFinite {
  /** Elements that were looked at; a complex number is one. */
  elements: number;
  nans: number;
  infinities: number;
  /** The first in the order of the subscripts, the outermost first; undefined: there is none. */
  first?: { indices: readonly number[]; kind: NonFiniteKind };
  /** The smallest box that holds all of them, both ends included. */
  box?: { from: readonly number[]; to: readonly number[] };
}

/** What limits a search. */
export interface Budget {
  /** Bytes that may still be read. */
  bytes: number;
  signal?: AbortSignal | undefined;
}

const window = 1 << 20;
/** Where numbers lie far apart, only pages with one of them are read. */
const page = 4096;

const sizes: Readonly<Record<FloatFormat, number>> = { f2: 2, bf2: 2, f4: 4, f8: 8, x87: 16, f16: 16 };

/** Bytes from the first to the last number of the place. */
export function spanOf({ dimensions, format, parts }: FloatPlace): { start: bigint; end: bigint; elements: number } {
  return {
    start: BigInt(sum(dimensions, ({ count, stride }) => Math.min(0, (count - 1) * stride))),
    end: BigInt(sum(dimensions, ({ count, stride }) => Math.max(0, (count - 1) * stride)) + sizes[format] * parts),
    elements: dimensions.reduce((product, { count }) => product * count, 1),
  };
}

/**
 * Looks at every element, or at as many of the first as the budget allows. Rejects with FaultError where memory cannot be
 * read, and with the signal's reason.
 */
export async function findNonFinite(image: ProcessImage, place: FloatPlace, budget: Budget): Promise<NonFinite> {
  const { dimensions, format, parts } = place;
  const { start, end, elements } = spanOf(place);
  const size = sizes[format];
  const step = size * parts;
  const span = Number(end - start);
  const chunk = span > 64 * elements * step ? page : window;
  const found = new Tally(dimensions);
  const last = dimensions.length - 1;
  const indices = dimensions.map(() => 0);
  const { count: perRow, stride } = dimensions[last] ?? { count: 1, stride: 0 };
  let bytes: DataView = new DataView(new ArrayBuffer(0));
  let from = 0;
  for (let row = 0; row < elements / perRow; row++) {
    let offset = offsetOf(indices, dimensions) - Number(start);
    for (let i = 0; i < perRow; i++, offset += stride) {
      if (offset < from || offset + step > from + bytes.byteLength) {
        budget.signal?.throwIfAborted();
        const length = Math.max(step, Math.min(chunk, span - offset));
        if (length > budget.bytes) return found.result();
        budget.bytes -= length;
        const read = await image.readMemory(place.address + start + BigInt(offset), length);
        bytes = new DataView(read.buffer, read.byteOffset, read.byteLength);
        from = offset;
      }
      found.elements++;
      const kind = kindOfElement(bytes, offset - from, format, parts);
      if (kind === undefined) continue;
      if (last >= 0) indices[last] = i;
      found.add(indices, kind);
    }
    if (last >= 0) indices[last] = 0;
    advance(indices, dimensions);
  }
  return found.result();
}

function offsetOf(indices: readonly number[], dimensions: readonly Dimension[]): number {
  return sum(dimensions, ({ stride }, i) => indices[i]! * stride);
}

/** To the next row: the last subscript is that within the row, of the others the last one changes first. */
function advance(indices: number[], dimensions: readonly Dimension[]): void {
  for (let i = dimensions.length - 2; i >= 0; i--) {
    indices[i] = indices[i]! + 1;
    if (indices[i]! < dimensions[i]!.count) return;
    indices[i] = 0;
  }
}

function kindOfElement(view: DataView, at: number, format: FloatFormat, parts: number): NonFiniteKind | undefined {
  const first = kindOf(view, at, format);
  if (parts === 1 || first === 'NaN') return first;
  const second = kindOf(view, at + sizes[format], format);
  return second === 'NaN' ? second : (first ?? second);
}

/** Numbers are stored with the lowest byte first on every machine that is supported. */
function kindOf(view: DataView, at: number, format: FloatFormat): NonFiniteKind | undefined {
  switch (format) {
    case 'f8': {
      const high = view.getUint32(at + 4, true);
      if ((high & 0x7ff00000) !== 0x7ff00000) return undefined;
      return kindBy((high & 0xfffff) === 0 && view.getUint32(at, true) === 0, high >>> 31);
    }
    case 'f4': {
      const word = view.getUint32(at, true);
      return (word & 0x7f800000) === 0x7f800000 ? kindBy((word & 0x7fffff) === 0, word >>> 31) : undefined;
    }
    case 'f2': {
      const word = view.getUint16(at, true);
      return (word & 0x7c00) === 0x7c00 ? kindBy((word & 0x3ff) === 0, word >>> 15) : undefined;
    }
    case 'bf2': {
      const word = view.getUint16(at, true);
      return (word & 0x7f80) === 0x7f80 ? kindBy((word & 0x7f) === 0, word >>> 15) : undefined;
    }
    case 'x87': {
      const word = view.getUint16(at + 8, true);
      const isInfinite = view.getUint32(at + 4, true) === 0x80000000 && view.getUint32(at, true) === 0;
      return (word & 0x7fff) === 0x7fff ? kindBy(isInfinite, word >>> 15) : undefined;
    }
    case 'f16': {
      const word = view.getUint16(at + 14, true);
      const isInfinite =
        (view.getBigUint64(at + 8, true) & 0xffffffffffffn) === 0n && view.getBigUint64(at, true) === 0n;
      return (word & 0x7fff) === 0x7fff ? kindBy(isInfinite, word >>> 15) : undefined;
    }
  }
}

function kindBy(isInfinite: boolean, sign: number): NonFiniteKind {
  if (!isInfinite) return 'NaN';
  return sign === 0 ? 'Infinity' : '-Infinity';
}

class Tally {
  elements = 0;
  private nans = 0;
  private infinities = 0;
  private first: NonFinite['first'];
  private readonly from: number[];
  private readonly to: number[];

  constructor(dimensions: readonly Dimension[]) {
    this.from = dimensions.map(() => Infinity);
    this.to = dimensions.map(() => -1);
  }

  add(indices: readonly number[], kind: NonFiniteKind): void {
    if (kind === 'NaN') this.nans++;
    else this.infinities++;
    this.first ??= { indices: [...indices], kind };
    for (const [i, index] of indices.entries()) {
      if (index < this.from[i]!) this.from[i] = index;
      if (index > this.to[i]!) this.to[i] = index;
    }
  }

  result(): NonFinite {
    const { elements, nans, infinities, first, from, to } = this;
    return { elements, nans, infinities, ...(first && { first, box: { from, to } }) };
  }
}

function sum(dimensions: readonly Dimension[], of: (dimension: Dimension, index: number) => number): number {
  let total = 0;
  for (const [index, dimension] of dimensions.entries()) total += of(dimension, index);
  return total;
}
