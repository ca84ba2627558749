/**
 * The rings of a region: records that threads of the rank write again and again, the newest over the oldest, perhaps while they
 * are read. A slot counts only with the stamp that it must have, and only if its ring has not come round to it meanwhile.
 */
import { CorruptError } from '../result';
import type { Region } from './region';

const slotBytes = 64;
const [firstWords, moreWords] = [5, 7];

export interface RingRecord {
  /** As recordKinds says. */
  kind: number;
  /** As the kind says. */
  what: number;
  /** The kernel's number of the thread. */
  thread: number;
  /** Nanoseconds, on the region's clock. */
  time: bigint;
  words: readonly bigint[];
}

export const recordKinds = { event: 1, dropped: 2, call: 3, ompt: 4, device: 5 } as const;

/** A ring as it was at some moment: `head` slots were taken since the start, of which it still has the last `slots`. */
interface Ring {
  index: number;
  first: number;
  slots: number;
  head: bigint;
  overwritten: bigint;
}

/** The last `count` records that are wanted, of all threads, oldest first. Throws FaultError and CorruptError. */
export async function lastRecords(
  region: Region,
  count: number,
  isWanted: (record: RingRecord) => boolean,
): Promise<RingRecord[]> {
  const found: RingRecord[] = [];
  for (const ring of await readRings(region)) found.push(...(await lastOfRing(region, ring, count, isWanted)));
  const inTime = found.sort(byTime);
  return count === 0 ? [] : inTime.slice(-count);
}

/** Records that rings have lost since the start: overwritten, or without a ring to be written to. */
export async function lostRecords(region: Region): Promise<bigint> {
  const rings = await readRings(region);
  return rings.reduce((sum, { overwritten }) => sum + overwritten, region.header.unrecorded);
}

/** Follows the rings of one region: each record once, also one that was being written while later ones were complete. */
export class RingTail {
  private readonly seen = new Map<number, { head: bigint; unwritten: ReadonlySet<bigint> }>();
  /** Where the last call of next() left something out: the first record after it. */
  lost: { thread: number; time: bigint }[] = [];

  /** `maxSlots`: at most so many of each ring are read at a time, the newest. */
  constructor(private readonly maxSlots = Infinity) {}

  /** What is new since the last call, oldest first; at first, all that is there. */
  async next(region: Region): Promise<RingRecord[]> {
    const found: RingRecord[] = [];
    this.lost = [];
    for (const ring of await readRings(region)) {
      const { head, unwritten } = this.seen.get(ring.index) ?? { head: 0n, unwritten: new Set() };
      const wanted = [...unwritten].reduce((least, number) => (number < least ? number : least), head);
      const oldest = oldestOf({ ...ring, slots: Math.min(ring.slots, this.maxSlots) });
      const read = await readSlots(region, ring, wanted > oldest ? wanted : oldest);
      const [first] = read.records;
      if (first !== undefined && read.from > head) this.lost.push(first.record);
      this.seen.set(ring.index, { head: ring.head, unwritten: read.unwritten });
      const isNew = ({ number }: { number: bigint }): boolean => number >= head || unwritten.has(number);
      found.push(...read.records.filter(isNew).map(({ record }) => record));
    }
    return found.sort(byTime);
  }
}

function byTime(a: RingRecord, b: RingRecord): number {
  return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
}

function oldestOf({ head, slots }: Ring): bigint {
  const oldest = head - BigInt(slots);
  return oldest < 0n ? 0n : oldest;
}

/** Those that have been written to. */
async function readRings(region: Region): Promise<Ring[]> {
  const table = await region.table('rings');
  const rings: Ring[] = [];
  let left = region.count('slots');
  for (let index = 0; index < table.count; index++) {
    if (table.uint32(index, 16) === 0 && table.uint32(index, 20) === 0) continue;
    const bytes = table.at(index);
    const [first, slots] = [bytes.getUint32(4, true), bytes.getUint32(8, true)];
    left -= slots;
    if (left < 0 || first + slots > region.count('slots') || slots === 0 || (slots & (slots - 1)) !== 0)
      throw new CorruptError('the region of the collector is damaged: a ring is out of bounds');
    rings.push({ index, first, slots, head: bytes.getBigUint64(16, true), overwritten: bytes.getBigUint64(32, true) });
  }
  return rings;
}

async function lastOfRing(
  region: Region,
  ring: Ring,
  count: number,
  isWanted: (record: RingRecord) => boolean,
): Promise<RingRecord[]> {
  for (let slots = 256n; ; slots *= 4n) {
    const from = ring.head - slots > oldestOf(ring) ? ring.head - slots : oldestOf(ring);
    const { records } = await readSlots(region, ring, from);
    const wanted = records.map(({ record }) => record).filter(isWanted);
    if (wanted.length >= count || from === oldestOf(ring)) return count === 0 ? [] : wanted.slice(-count);
  }
}

/** What a look at the slots of a ring found. `unwritten`: slots that were being written, of the newest ones. */
interface Look {
  /** What came before was overwritten. */
  from: bigint;
  records: { number: bigint; record: RingRecord }[];
  unwritten: ReadonlySet<bigint>;
}

/** The whole records from slot number `from` on to the head. */
async function readSlots(region: Region, ring: Ring, from: bigint): Promise<Look> {
  const size = BigInt(ring.slots);
  const count = Number(ring.head - from);
  const start = Number(from % size);
  const beforeEnd = Math.min(count, ring.slots - start);
  const bytes = new Uint8Array(count * slotBytes);
  const take = async (first: number, many: number, to: number): Promise<void> => {
    if (many === 0) return;
    const read = await region.entries('slots', ring.first + first, many);
    bytes.set(new Uint8Array(read.buffer, read.byteOffset, read.byteLength), to * slotBytes);
  };
  await take(start, beforeEnd, 0);
  await take(0, count - beforeEnd, beforeEnd);
  const again = await region.entries('rings', ring.index, 1);
  const survivor = again.getBigUint64(16, true) - size;
  return recordsIn(new Slots(bytes, from), survivor > from ? survivor : from, ring.head);
}

/** Whatever is not written so many slots later was given up. */
const maxLate = 64n;

function recordsIn(slots: Slots, from: bigint, head: bigint): Look {
  const records: Look['records'] = [];
  const unwritten = new Set<bigint>();
  for (let number = from; number < head; number++) {
    const record = slots.recordAt(number, head);
    if (record !== undefined) {
      records.push({ number, record });
      number += BigInt(slotsOf(record.words.length) - 1);
    } else if (number >= head - maxLate && slots.isUnwritten(number)) unwritten.add(number);
  }
  return { from, records, unwritten };
}

function slotsOf(words: number): number {
  return words <= firstWords ? 1 : 1 + Math.ceil((words - firstWords) / moreWords);
}

/** Slots that were read, from number `from` on. */
class Slots {
  private readonly view: DataView;

  constructor(
    bytes: Uint8Array,
    private readonly from: bigint,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  isUnwritten(number: bigint): boolean {
    return this.view.getBigUint64(this.at(number), true) === 0n;
  }

  /** Undefined: no record begins there, or it is not complete. */
  recordAt(number: bigint, head: bigint): RingRecord | undefined {
    const at = this.at(number);
    if (!this.hasStamp(number, 2n)) return undefined;
    const words = this.view.getUint8(at + 17);
    const slots = slotsOf(words);
    if (number + BigInt(slots) > head) return undefined;
    for (let i = 1; i < slots; i++) if (!this.hasStamp(number + BigInt(i), 3n)) return undefined;
    return {
      kind: this.view.getUint8(at + 16),
      what: this.view.getUint16(at + 18, true),
      thread: this.view.getUint32(at + 20, true),
      time: this.view.getBigUint64(at + 8, true),
      words: Array.from({ length: words }, (_, i) => this.view.getBigUint64(at + wordOffset(i), true)),
    };
  }

  private at(number: bigint): number {
    return Number(number - this.from) * slotBytes;
  }

  /** What slot `number` begins with when it is complete: the first one of a record, or a further one. */
  private hasStamp(number: bigint, added: bigint): boolean {
    return this.view.getBigUint64(this.at(number), true) === BigInt.asUintN(64, 2n * number + added);
  }
}

/** From the beginning of a record's first slot. */
function wordOffset(word: number): number {
  if (word < firstWords) return 24 + 8 * word;
  const further = word - firstWords;
  return slotBytes * (1 + Math.floor(further / moreWords)) + 8 + 8 * (further % moreWords);
}
