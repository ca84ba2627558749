/** Counts what a query costs; for benchmarks, and for tests that bound the number of reads. */
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import type { EpochImage } from './epoch-image';

export interface ImageCounts {
  reads: number;
  bytes: number;
  symbolLookups: number;
  typeLookups: number;
}

/** One read that did not fail. */
export interface ReadRange {
  address: bigint;
  length: number;
}

export class CountingImage implements EpochImage {
  private readonly image: ProcessImage & Partial<EpochImage>;
  /** In the order in which they were asked for. */
  readonly ranges: ReadRange[] = [];
  readonly counts: ImageCounts = { reads: 0, bytes: 0, symbolLookups: 0, typeLookups: 0 };

  constructor(image: ProcessImage & Partial<EpochImage>) {
    this.image = image;
  }

  get target(): 'live' | 'core' {
    return this.image.target;
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    this.counts.reads++;
    this.counts.bytes += length;
    const bytes = await this.image.readMemory(address, length);
    this.ranges.push({ address, length });
    return bytes;
  }

  /** Begins again. */
  reset(): void {
    Object.assign(this.counts, { reads: 0, bytes: 0, symbolLookups: 0, typeLookups: 0 });
    this.ranges.length = 0;
  }

  modules(): Promise<readonly Module[]> {
    return this.image.modules();
  }

  findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    this.counts.symbolLookups++;
    return this.image.findSymbol(name, module);
  }

  symbolAt(address: bigint): Promise<Symbol | undefined> {
    this.counts.symbolLookups++;
    return this.image.symbolAt(address);
  }

  findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    this.counts.typeLookups++;
    return this.image.findType(name, fields);
  }

  findAllocated(word: number): Promise<Search | undefined> {
    return this.image.findAllocated(word);
  }

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.image.environment();
  }

  invalidate(): void {
    this.image.invalidate?.();
  }
}
