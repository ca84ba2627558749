/**
 * The memory of a process of another host, where a question takes as long as the way there and back: each page is asked for once
 * until close(). Decoders follow pointers, one page after the other; from one stop to the next they mostly go the same way. So
 * with a page that was used before come those that were used behind it: more and more, as long as it was right. With one that
 * was never used come its neighbours: structs that belong together lie close to each other.
 */
import type { ProcessMemory } from '../hosts/host';
import { checkMemoryRange } from '../hosts/memory-range';
import { FaultError } from '../../plugin-api/result';

export const pageSize = 4096;
/** Pages. */
const neighbours = 16;
/** Bytes. Arrays of the user's program are not read twice, and would fill the cache. */
const longestKept = 1 << 20;
/** Pages: those of some thousand objects. */
const longestWay = 16_384;
/** Pages in one question. */
const mostAhead = 256;

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
  private places = new Map<number, number>();
  private ahead = 1;
  private isOpen = false;

  constructor(private readonly source: PageSource) {}

  async read(address: bigint, length: number): Promise<Uint8Array> {
    checkMemoryRange(address, length);
    this.isOpen = true;
    if (length > longestKept) return this.source.readRange(address, length);
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

  close(): void {
    // What was not needed this time may be next time.
    const older = this.way.filter((number) => !this.used.has(number));
    this.way = [...this.used, ...older].slice(0, longestWay);
    this.places = new Map(this.way.map((number, place) => [number, place]));
    this.used = new Set();
    this.ahead = 1;
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
    const place = this.places.get(number);
    const isMissing = (each: number): boolean => !this.known.has(each);
    if (place === undefined) {
      const first = number - (number % neighbours);
      return Array.from({ length: neighbours }, (_, index) => first + index).filter(isMissing);
    }
    this.ahead = Math.min(this.ahead * 16, mostAhead);
    return [number, ...this.way.slice(place + 1, place + 1 + this.ahead).filter(isMissing)];
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
