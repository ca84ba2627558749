/** Remembers what was read through it: as long as all of that is the same, so is what was decoded from it. */
import type { Module, ProcessImage, Search } from '../../plugin-api/image';
import { FaultError } from '../../plugin-api/result';
import { ForwardedImage } from './forwarded-image';

interface Read {
  address: bigint;
  length: number;
  /** undefined: they cannot be read. */
  bytes: Uint8Array | undefined;
}

export class RememberingImage extends ForwardedImage {
  private reads: Read[] = [];
  /** Symbols come from them. Unlike bytes they are the same objects while they are the same. */
  private linked: readonly Module[] | undefined;
  private hasSearched = false;

  override async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const bytes = await readOf(this.image, address, length);
    this.reads.push({ address, length, bytes });
    if (bytes === undefined) throw new FaultError(address, length);
    return bytes;
  }

  knownMemory(address: bigint, length: number): Uint8Array | undefined {
    const bytes = this.image.knownMemory?.(address, length);
    if (bytes !== undefined) this.reads.push({ address, length, bytes });
    return bytes;
  }

  override findAllocated(word: number): Promise<Search | undefined> {
    this.hasSearched = true;
    return super.findAllocated(word);
  }

  /** Whether the image, whose process may have run, would answer everything as before. */
  async isSame(): Promise<boolean> {
    // A search would take as long as the first time.
    if (this.hasSearched || this.linked !== (await this.image.modules())) return false;
    for (const { address, length, bytes } of this.reads) {
      const now = this.image.knownMemory?.(address, length) ?? (await readOf(this.image, address, length));
      if (now === undefined ? bytes !== undefined : bytes === undefined || Buffer.compare(now, bytes) !== 0)
        return false;
    }
    return true;
  }

  /** Forgets, and remembers from now on. */
  async start(): Promise<void> {
    this.reads = [];
    this.hasSearched = false;
    this.linked = await this.image.modules();
  }
}

async function readOf(image: ProcessImage, address: bigint, length: number): Promise<Uint8Array | undefined> {
  try {
    return await image.readMemory(address, length);
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}
