/** Counts what a query costs; for benchmarks, and for tests that bound the number of reads. */
import type { Module, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { ForwardedImage } from './forwarded-image';

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

export class CountingImage extends ForwardedImage {
  /** In the order in which they were asked for. */
  readonly ranges: ReadRange[] = [];
  readonly counts: ImageCounts = { reads: 0, bytes: 0, symbolLookups: 0, typeLookups: 0 };

  override async readMemory(address: bigint, length: number): Promise<Uint8Array> {
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

  override findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    this.counts.symbolLookups++;
    return this.image.findSymbol(name, module);
  }

  override symbolAt(address: bigint): Promise<Symbol | undefined> {
    this.counts.symbolLookups++;
    return this.image.symbolAt(address);
  }

  override findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    this.counts.typeLookups++;
    return this.image.findType(name, fields);
  }
}
