/** Memory read once per stop: decoders read small fields of the same structs again and again. */
import type { Module, ProcessImage, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError } from '../../plugin-api/result';
import type { EpochImage } from './epoch-image';

/** Divides a page, so that in a live process a block is readable as a whole or not at all. */
const BLOCK_SIZE = 1024;
/** Arrays of the user's program are not read twice, and would fill the cache. */
const LONGEST_CACHED = 1 << 20;

export class CachedImage implements EpochImage {
  readonly #image: ProcessImage & Partial<EpochImage>;
  #blocks = new Map<bigint, Uint8Array>();

  constructor(image: ProcessImage & Partial<EpochImage>) {
    this.#image = image;
  }

  get target(): 'live' | 'core' {
    return this.#image.target;
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    if (!(length > 0 && length <= LONGEST_CACHED)) return this.#image.readMemory(address, length);
    const start = blockStart(address);
    const end = blockStart(address + BigInt(length - 1)) + BigInt(BLOCK_SIZE);
    // Of this epoch: a read that is still under way when the process runs on must not fill the next epoch's cache.
    const blocks = this.#blocks;
    if (!(await this.#fill(blocks, start, end))) return this.#image.readMemory(address, length);
    const bytes = new Uint8Array(length);
    for (let block = start; block < end; block += BigInt(BLOCK_SIZE)) {
      copyOverlap(bytes, address, blocks.get(block) ?? new Uint8Array(0), block);
    }
    return bytes;
  }

  /** Reads the blocks that are missing, neighbours at once. False when one cannot be read as a whole. */
  async #fill(blocks: Map<bigint, Uint8Array>, start: bigint, end: bigint): Promise<boolean> {
    for (let from = start; from < end; from += BigInt(BLOCK_SIZE)) {
      if (blocks.has(from)) continue;
      let to = from;
      while (to < end && !blocks.has(to)) to += BigInt(BLOCK_SIZE);
      let bytes: Uint8Array;
      try {
        bytes = await this.#image.readMemory(from, Number(to - from));
      } catch (error) {
        if (error instanceof FaultError) return false;
        throw error;
      }
      for (let offset = 0; offset < bytes.length; offset += BLOCK_SIZE) {
        blocks.set(from + BigInt(offset), bytes.subarray(offset, offset + BLOCK_SIZE));
      }
      from = to - BigInt(BLOCK_SIZE);
    }
    return true;
  }

  invalidate(): void {
    this.#blocks = new Map();
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

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.#image.environment();
  }
}

function blockStart(address: bigint): bigint {
  return address - (address % BigInt(BLOCK_SIZE));
}

/** Copies what `source`, which lies at `sourceAddress`, has of the bytes that `target` stands for. */
function copyOverlap(target: Uint8Array, address: bigint, source: Uint8Array, sourceAddress: bigint): void {
  const shift = Number(sourceAddress - address);
  const from = Math.max(0, -shift);
  const to = Math.min(source.length, target.length - shift);
  target.set(source.subarray(from, to), shift + from);
}
