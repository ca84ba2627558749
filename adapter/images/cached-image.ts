/** Caches memory per stop: decoders read small fields of the same structs again and again. */
import { FaultError } from '../../plugin-api/result';
import { ForwardedImage } from './forwarded-image';

/** Those of the process, so that in a live process a page is readable as a whole or not at all. */
const PAGE_BITS = 12n;
const PAGE_SIZE = 4096;
const OFFSET_MASK = BigInt(PAGE_SIZE - 1);
/** Arrays of the user's program are not read twice, and would fill the cache. */
const maxCachedLength = 1 << 20;

/** By the number of the page, which a double holds exactly; while it is read, whether it could be. */
type Pages = Map<number, Uint8Array | Promise<boolean>>;

export class CachedImage extends ForwardedImage {
  private pages: Pages = new Map();

  override readMemory(address: bigint, length: number): Promise<Uint8Array> {
    if (!(length > 0 && length <= maxCachedLength)) return this.image.readMemory(address, length);
    const known = this.knownMemory(address, length);
    return known === undefined ? this.readPages(address, length) : Promise.resolve(known.slice());
  }

  /** Most reads are of one page that is there. */
  knownMemory(address: bigint, length: number): Uint8Array | undefined {
    const at = Number(address);
    if (!Number.isSafeInteger(at)) return undefined;
    const offset = at % PAGE_SIZE;
    if (!(length > 0 && offset + length <= PAGE_SIZE)) return undefined;
    const page = this.pages.get((at - offset) / PAGE_SIZE);
    return page instanceof Uint8Array ? page.subarray(offset, offset + length) : undefined;
  }

  private async readPages(address: bigint, length: number): Promise<Uint8Array> {
    const first = pageOf(address);
    const offset = Number(address & OFFSET_MASK);
    const end = first + Math.ceil((offset + length) / PAGE_SIZE);
    // The pages of this epoch: a read that is still under way when the process runs on must not fill the next epoch's cache.
    const pages = this.pages;
    if (!(await this.fill(pages, first, end))) return this.image.readMemory(address, length);
    const bytes = new Uint8Array(length);
    for (let page = first, at = -offset; page < end; page++, at += PAGE_SIZE) {
      const part = (pages.get(page) as Uint8Array).subarray(Math.max(0, -at), length - at);
      bytes.set(part, Math.max(0, at));
    }
    return bytes;
  }

  /** Reads the pages that are missing, neighbours at once. False when one cannot be read as a whole. */
  private async fill(pages: Pages, first: number, end: number): Promise<boolean> {
    const reading: Promise<boolean>[] = [];
    for (let from = first; from < end;) {
      const page = pages.get(from);
      let to = from + 1;
      if (page === undefined) {
        while (to < end && !pages.has(to)) to++;
        reading.push(this.readInto(pages, from, to));
      } else if (!(page instanceof Uint8Array)) reading.push(page);
      from = to;
    }
    return (await Promise.all(reading)).every(Boolean);
  }

  /** Concurrent requests for the same pages share one read. Pages that cannot be read are asked for again. */
  private readInto(pages: Pages, first: number, end: number): Promise<boolean> {
    const reading = this.readNow(pages, first, end);
    for (let page = first; page < end; page++) pages.set(page, reading);
    return reading;
  }

  private async readNow(pages: Pages, first: number, end: number): Promise<boolean> {
    try {
      const bytes = await this.image.readMemory(BigInt(first) << PAGE_BITS, (end - first) * PAGE_SIZE);
      for (let page = first, at = 0; page < end; page++, at += PAGE_SIZE)
        pages.set(page, bytes.subarray(at, at + PAGE_SIZE));
      return true;
    } catch (error) {
      for (let page = first; page < end; page++) pages.delete(page);
      if (error instanceof FaultError) return false;
      throw error;
    }
  }

  override invalidate(): void {
    this.pages = new Map();
    super.invalidate();
  }
}

/** The number of the page: exact where memory can be, and elsewhere none that can be read. */
function pageOf(address: bigint): number {
  return Number(address >> PAGE_BITS);
}
