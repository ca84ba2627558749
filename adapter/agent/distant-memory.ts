/**
 * The memory of a process of another host, where a question takes as long as the way there and back: each page is asked for once
 * until close(). Decoders follow pointers, one page after the other; from one stop to the next they mostly go the same way. So
 * with a page that was used before come those that were used behind it: more and more, as long as it was right. With one that
 * was never used come its neighbours: structs that belong together lie close to each other. The more of a place is used, the more
 * of it comes.
 */
import type { MemoryRange, ProcessMemory } from '../hosts/host';
import { checkMemoryRange } from '../hosts/memory-range';
import { FaultError } from '../../plugin-api/result';

export const pageSize = 4096;
/** Pages. */
const neighbours = 16;
/** Bytes. Arrays of the user's program are not read twice, and would fill the cache. */
const maxKept = 1 << 20;
/** Pages: those of some thousand objects. */
const maxWay = 16_384;
/** Pages in one question. */
const maxAhead = 256;
/** Pages that come together: with the first of a place, with one beside that, and so on. */
const widths = [neighbours, neighbours, 4 * neighbours, maxAhead];

/** Its bytes; that it cannot be read; or that the process has no memory any more. */
export type Page = Uint8Array | 'unreadable' | 'gone';

export interface PageSource {
  /** The pages with these numbers. Rejects with ProcessAccessError. */
  pages(numbers: readonly number[]): Promise<readonly Page[]>;
  /** A long range. Rejects with FaultError and ProcessAccessError. */
  readRange(address: bigint, length: number): Promise<Uint8Array>;
  /** Its process may be another program from now on. */
  forget(): void;
}

export class DistantMemory implements ProcessMemory {
  private known = new Map<number, Page | Promise<Page>>();
  private used = new Set<number>();
  /** Pages in the order in which they were used before the last close(), and where each is in it. */
  private way: readonly number[] = [];
  private positions = new Map<number, number>();
  private ahead = 1;
  /** Which of the widths each block of neighbours came with. */
  private grown = new Map<number, number>();
  private isOpen = false;

  constructor(private readonly source: PageSource) {}

  async read(address: bigint, length: number): Promise<Uint8Array> {
    checkMemoryRange(address, length);
    this.isOpen = true;
    if (length > maxKept) return this.source.readRange(address, length);
    const first = Number(address / BigInt(pageSize));
    const offset = Number(address % BigInt(pageSize));
    const numbers = Array.from({ length: Math.ceil((offset + length) / pageSize) }, (_, index) => first + index);
    const pages = await this.get(numbers);
    const bytes = new Uint8Array(length);
    pages.forEach((page, index) => {
      if (page === 'unreadable') throw new FaultError(address, length);
      if (page === 'gone') throw new FaultError(address, length, 'the process has exited, or executed another program');
      const at = index * pageSize - offset;
      bytes.set(page.subarray(Math.max(0, -at), length - at), Math.max(0, at));
    });
    return bytes;
  }

  /** The first time only: later the way of the stop before tells more. */
  expect(ranges: readonly MemoryRange[]): void {
    if (this.way.length > 0) return;
    this.isOpen = true;
    const all = ranges.flatMap(({ start, length }) => {
      const first = Number(start / BigInt(pageSize));
      return Array.from({ length: Math.ceil(length / pageSize) }, (_, index) => first + index);
    });
    const missing = all.filter((number) => !this.known.has(number));
    for (let at = 0; at < missing.length; at += maxAhead) this.ask(missing.slice(at, at + maxAhead));
  }

  close(): void {
    // What was not needed this time may be next time.
    const older = this.way.filter((number) => !this.used.has(number));
    this.way = [...this.used, ...older].slice(0, maxWay);
    this.positions = new Map(this.way.map((number, position) => [number, position]));
    this.used = new Set();
    this.ahead = 1;
    this.grown = new Map();
    // What is still under way belongs to those who asked for it.
    this.known = new Map();
    if (this.isOpen) this.source.forget();
    this.isOpen = false;
  }

  private get(numbers: readonly number[]): Promise<Page[]> {
    for (const number of numbers) this.used.add(number);
    const missing = numbers.filter((number) => !this.known.has(number));
    if (missing.length > 0) this.ask([...new Set(missing.flatMap((number) => this.with(number)))]);
    return Promise.all(numbers.map(async (number) => this.known.get(number)!));
  }

  /** The page, and what is likely to be needed with it. */
  private with(number: number): number[] {
    const position = this.positions.get(number);
    const isMissing = (each: number): boolean => !this.known.has(each);
    if (position === undefined) {
      const width = this.widthAt(number);
      const first = number - (number % width);
      return Array.from({ length: width }, (_, index) => first + index).filter(isMissing);
    }
    this.ahead = Math.min(this.ahead * 16, maxAhead);
    return [number, ...this.way.slice(position + 1, position + 1 + this.ahead).filter(isMissing)];
  }

  private widthAt(number: number): number {
    const block = Math.floor(number / neighbours);
    const beside = [-2, -1, 1, 2].map((distance) => this.grown.get(block + distance) ?? -1);
    const growth = Math.min(Math.max(...beside) + 1, widths.length - 1);
    const width = widths[growth]!;
    const blocks = width / neighbours;
    const first = block - (block % blocks);
    for (let each = first; each < first + blocks; each++) this.grown.set(each, growth);
    return width;
  }

  private ask(numbers: readonly number[]): void {
    const { known } = this;
    const answer = this.source.pages(numbers);
    numbers.forEach((number, index) => {
      const page = answer.then((pages) => pages[index] ?? 'unreadable');
      known.set(number, page);
      page.then(
        (bytes) => known.set(number, bytes),
        () => known.delete(number),
      );
    });
  }
}
