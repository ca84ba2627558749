/**
 * Where functions of C++, and cleanups of C, go on when an exception, or the end of a thread, leaves a call: as .gcc_except_table has it
 * (the Itanium C++ ABI, exception handling tables).
 */
import type { Module, ProcessImage } from '../../image';
import { ByteReader } from './byte-reader';
import { languageTables } from './frame-rules';
import { unwindEntry } from './function-bounds';

/** Calls in [start, end), and the code that catches what leaves them, or cleans up. Addresses in the process. */
interface LandingPad {
  start: bigint;
  end: bigint;
  pad: bigint;
}

/** A function, or a part of one, with its landing pads. */
export interface CaughtCalls {
  start: bigint;
  end: bigint;
  pads: readonly LandingPad[];
}

const omitted = 0xff;
const uleb128 = 0x01;
/** More than the tables of any function take. */
const maxBytes = 1 << 16;

/** For the function around the address; undefined: none is described there. Rejects as frameRules does. */
export async function caughtCalls(
  image: ProcessImage,
  module: Module,
  address: bigint,
): Promise<CaughtCalls | undefined> {
  const entry = await unwindEntry(image, module, address);
  if (entry === undefined) return undefined;
  const { start, end, tables } = await languageTables(image, entry.description);
  if (address < start || address >= end) return undefined;
  return { start, end, pads: tables === undefined ? [] : await padsAt(image, tables, start) };
}

async function padsAt(image: ProcessImage, tables: bigint, start: bigint): Promise<LandingPad[]> {
  const header = new ByteReader(await image.readMemory(tables, headerBytes), tables);
  const baseEncoding = header.u8();
  const base = baseEncoding === omitted ? start : header.pointer(baseEncoding);
  if (header.u8() !== omitted) header.unsigned();
  const encoding = header.u8();
  const length = Math.min(header.unsigned(), maxBytes);
  const calls = new ByteReader(await image.readMemory(header.here, length), header.here);
  const next = (): bigint => (encoding === uleb128 ? BigInt(calls.unsigned()) : calls.extent(encoding));
  const pads: LandingPad[] = [];
  while (!calls.isAtEnd) {
    const from = start + next();
    const end = from + next();
    const pad = next();
    calls.unsigned();
    if (pad !== 0n) pads.push({ start: from, end, pad: base + pad });
  }
  return pads;
}

/** Two encodings, two numbers of ten bytes at most, and a pointer. */
const headerBytes = 32;
