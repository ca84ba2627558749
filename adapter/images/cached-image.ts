/** Memory read once per stop: decoders read small fields of the same structs again and again. */
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError } from '../../plugin-api/result';
import type { EpochImage } from './epoch-image';

/** Those of the process, so that in a live process a page is readable as a whole or not at all. */
const PAGE_BITS = 12n;
const PAGE_SIZE = 4096;
const OFFSET_MASK = BigInt(PAGE_SIZE - 1);
/** Arrays of the user's program are not read twice, and would fill the cache. */
const LONGEST_CACHED = 1 << 20;

export class CachedImage implements EpochImage {
  readonly #image: ProcessImage & Partial<EpochImage>;
  /** By the number of the page, which a double holds exactly. */
  #pages = new Map<number, Uint8Array>();

  constructor(image: ProcessImage & Partial<EpochImage>) {
    this.#image = image;
  }

  get target(): 'live' | 'core' {
    return this.#image.target;
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    if (!(length > 0 && length <= LONGEST_CACHED)) return this.#image.readMemory(address, length);
    const first = pageOf(address);
    const offset = Number(address & OFFSET_MASK);
    const end = Math.ceil((offset + length) / PAGE_SIZE);
    // Of this epoch: a read that is still under way when the process runs on must not fill the next epoch's cache.
    const pages = this.#pages;
    const isCached = pages.has(first) && end === 1;
    if (!isCached && !(await this.#fill(pages, first, first + end))) return this.#image.readMemory(address, length);
    if (end === 1) return pages.get(first)!.slice(offset, offset + length);
    const bytes = new Uint8Array(end * PAGE_SIZE);
    for (let page = 0; page < end; page++) bytes.set(pages.get(first + page)!, page * PAGE_SIZE);
    return bytes.subarray(offset, offset + length);
  }

  /** Reads the pages that are missing, neighbours at once. False when one cannot be read as a whole. */
  async #fill(pages: Map<number, Uint8Array>, first: number, end: number): Promise<boolean> {
    for (let from = first; from < end; from++) {
      if (pages.has(from)) continue;
      let to = from;
      while (to < end && !pages.has(to)) to++;
      let bytes: Uint8Array;
      try {
        bytes = await this.#image.readMemory(BigInt(from) << PAGE_BITS, (to - from) * PAGE_SIZE);
      } catch (error) {
        if (error instanceof FaultError) return false;
        throw error;
      }
      for (let offset = 0; offset < bytes.length; offset += PAGE_SIZE, from++) {
        pages.set(from, bytes.subarray(offset, offset + PAGE_SIZE));
      }
    }
    return true;
  }

  invalidate(): void {
    this.#pages = new Map();
    this.#image.invalidate?.();
  }

  modules(): Promise<readonly Module[]> {
    return this.#image.modules();
  }

  findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return this.#image.findSymbol(name, module);
  }

  symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.#image.symbolAt(address);
  }

  findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    return this.#image.findType(name, fields);
  }

  findAllocated(word: number): Promise<Search | undefined> {
    return this.#image.findAllocated(word);
  }

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.#image.environment();
  }
}

/** The number of the page: exact where memory can be, and elsewhere none that can be read. */
function pageOf(address: bigint): number {
  return Number(address >> PAGE_BITS);
}
