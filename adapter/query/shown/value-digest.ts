/** What values that are too long to be shown whole are compared by: a hash of their bytes, read past gdb. */
import { createHash, type Hash } from 'node:crypto';
import { groupedBy } from '../../../plugin-api/grouped-by';
import type { ProcessImage } from '../../../plugin-api/image';
import { QueryError } from '../../../plugin-api/result';
import { evaluated } from '../../expressions/containers';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';
import { readOnly } from '../../gdb/mi/read-only';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { GdbValue } from '../../gdb/mi/value';
import { withoutAddresses } from '../../../plugin-api/answers/values/value-text';
import { valueBytes, type Region } from '../../gdb/python/value-bytes';
import type { Digest, RankValue } from '../../../plugin-api/answers/value-over-ranks';
import { memoryOf } from '../rank-images';

/** For longer values nothing is known beyond what is shown. */
const maxBytes = 64 * 1024 * 1024;
const chunk = 1024 * 1024;
/** Pages end at its multiples: a text that ends before one is read without what lies behind. */
const page = 4096;

export const unknownDigest: Digest = { hash: undefined, isPartial: true };

/** `readDigest`: of a text that is not all of the value. */
export interface UncomparedValue extends Omit<RankValue, 'digest'> {
  value?: GdbValue | undefined;
  readDigest?: () => Promise<Digest>;
}

/** Reads the bytes of values that would be taken for equal by their texts. */
export function withDigests<Value extends UncomparedValue>(values: readonly Value[]): Promise<(Value & RankValue)[]> {
  const counts = groupedBy(values, ({ text }) => withoutAddresses(text));
  return Promise.all(
    values.map(async (value) => {
      const isAlone = counts.get(withoutAddresses(value.text))!.length === 1;
      return value.readDigest === undefined || isAlone ? value : { ...value, digest: await value.readDigest() };
    }),
  );
}

/** `source`: as gdb reads it; it is evaluated without changing the program. Never rejects for what a rank did. */
export async function digestOf({ thread, frame, language }: EvaluationFrame, source: string): Promise<Digest> {
  const reader = readOnly(thread, language);
  try {
    const { regions, text, isPartial } = await evaluated({ gdb: thread.gdb, language }, source, (each) =>
      valueBytes(reader, frame, each),
    );
    const length = regions.reduce((sum, { size }) => sum + size, 0);
    if (length > maxBytes || (text === undefined && length === 0 && isPartial)) return unknownDigest;
    const image = memoryOf(thread.rank);
    const hash = createHash('sha256');
    if (text !== undefined && !(await addText(hash, image, text))) return unknownDigest;
    for (const region of regions) await addRegion(hash, image, region);
    return { hash: hash.digest('hex'), isPartial };
  } catch (error) {
    // Memory that cannot be read, and a gdb without Python.
    if (error instanceof QueryError || error instanceof GdbError) return unknownDigest;
    throw error;
  }
}

async function addRegion(hash: Hash, image: ProcessImage, { address, size, stride, holes }: Region): Promise<void> {
  hash.update(`${size} `);
  const step = Math.max(1, Math.floor(chunk / stride)) * stride;
  for (let at = 0; at < size; at += step) {
    const bytes = Uint8Array.from(await image.readMemory(address + BigInt(at), Math.min(step, size - at)));
    if (holes.length > 0)
      for (let element = 0; element < bytes.length; element += stride)
        for (const [from, to] of holes) bytes.fill(0, element + from, element + to);
    hash.update(bytes);
  }
}

/** Up to its terminating zero; false: it is too long. */
async function addText(hash: Hash, image: ProcessImage, address: bigint): Promise<boolean> {
  for (let at = address; at - address < maxBytes;) {
    const bytes = await image.readMemory(at, page - Number(at % BigInt(page)));
    const end = bytes.indexOf(0);
    hash.update(end < 0 ? bytes : bytes.subarray(0, end));
    if (end >= 0) return true;
    at += BigInt(bytes.length);
  }
  return false;
}
