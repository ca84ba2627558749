/**
 * Arrays of CHARACTER whose length is known at run time only, such as `character(len=:), allocatable :: names(:)` and
 * `character(*) names(:)`. gfortran (9 and newer) writes no type of them into the debug information; where the elements lie and how
 * long they are is in the array's descriptor, as libgfortran.h has it.
 */
import { addressOf, dataReadMemoryBytes } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';

export interface ArrayOfTexts {
  /** As gdb names the type of such arrays: "character*5 (3)". */
  type: string;
  /** As gdb writes arrays of CHARACTER: "('alpha', 'beta ')"; ends with "…" where not all is shown. */
  value: string;
}

/** base_addr, offset, dtype { elem_len, version, rank, type, attribute }, span. */
const headerSize = 40;
/** stride, lower bound, upper bound. */
const dimensionSize = 24;
const maxRank = 15;
/** The compiler's number of CHARACTER. */
const characterType = 6;
/** A string that is longer is none. */
const maxLength = 1n << 31n;
/** No process has as many bytes. */
const maxDistance = 1n << 47n;

/**
 * `longest`: about so many characters are read. undefined: the variable has no such descriptor, or one that cannot be: it may be of
 * anything else that gdb does not know, or not associated yet.
 */
export async function arrayOfTexts(
  evalFrame: EvaluationFrame,
  source: string,
  longest: number,
): Promise<ArrayOfTexts | undefined> {
  const { thread, frame } = evalFrame;
  try {
    const address = await addressOf(thread, frame, `&(${source})`);
    if (address === undefined || address === 0n) return undefined;
    const header = await readAt(evalFrame, address, headerSize);
    const [first, length, rank] = [header.readBigUInt64LE(0), header.readBigInt64LE(16), header.readInt8(28)];
    const isCharacter = header.readInt32LE(24) === 0 && header.readInt8(29) === characterType;
    if (!isCharacter || first === 0n || rank < 1 || rank > maxRank || length < 0n || length >= maxLength)
      return undefined;
    // It is not set for what is contiguous.
    const span = header.readBigInt64LE(32) || length;
    // gfortran 12 leaves the length out of a pointer in a derived type.
    if (length === 0n && span !== 0n) return undefined;
    const bounds = await readAt(evalFrame, address + BigInt(headerSize), rank * dimensionSize);
    const dimensions = Array.from({ length: rank }, (_, index) => {
      const at = index * dimensionSize;
      const [stride, low, high] = [0, 8, 16].map((field) => bounds.readBigInt64LE(at + field)) as [
        bigint,
        bigint,
        bigint,
      ];
      return { step: stride * span, extent: high < low ? 0n : high - low + 1n };
    });
    const count = dimensions.reduce((product, { extent }) => product * extent, 1n);
    const isFar = ({ step, extent }: (typeof dimensions)[number]): boolean =>
      step * extent > maxDistance || step * extent < -maxDistance;
    if (count > maxDistance || dimensions.some(isFar)) return undefined;
    const texts: string[] = [];
    let shown = 0;
    for (let index = 0n; index < count && shown < longest; index++) {
      const place = placeOf(index, dimensions);
      const wanted = Math.min(Number(length), longest - shown);
      const bytes = wanted === 0 ? Buffer.alloc(0) : await readAt(evalFrame, first + place, wanted);
      texts.push(`'${bytes.toString('utf8').replaceAll("'", "''")}'${wanted < length ? '…' : ''}`);
      shown += wanted + 4;
    }
    const rest = BigInt(texts.length) < count ? ', …' : '';
    return {
      type: `character*${length} (${dimensions.map(({ extent }) => extent).join(',')})`,
      value: `(${texts.join(', ')}${rest})`,
    };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** In bytes from the first element, of the element with this number in the order of Fortran. */
function placeOf(index: bigint, dimensions: readonly { step: bigint; extent: bigint }[]): bigint {
  let [place, rest] = [0n, index];
  for (const { step, extent } of dimensions) {
    place += (rest % extent) * step;
    rest /= extent;
  }
  return place;
}

/** Rejects with GdbError where not all can be read. */
async function readAt({ thread }: EvaluationFrame, address: bigint, count: number): Promise<Buffer> {
  const [piece] = await dataReadMemoryBytes(thread, address, count);
  if (piece === undefined || piece.address !== address || piece.bytes.length < count)
    throw new GdbError(`not all memory at 0x${address.toString(16)} can be read`, '');
  return piece.bytes;
}
