/** An image that asks another one; who extends it answers some of it by itself. */
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import type { EpochImage } from './epoch-image';

export class ForwardedImage implements EpochImage {
  constructor(protected readonly image: ProcessImage & Partial<EpochImage>) {}

  get target(): 'live' | 'core' {
    return this.image.target;
  }

  invalidate(): void {
    this.image.invalidate?.();
  }

  readMemory(address: bigint, length: number): Promise<Uint8Array> {
    return this.image.readMemory(address, length);
  }

  modules(): Promise<readonly Module[]> {
    return this.image.modules();
  }

  findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return this.image.findSymbol(name, module);
  }

  symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.image.symbolAt(address);
  }

  findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    return this.image.findType(name, fields);
  }

  findAllocated(word: number): Promise<Search | undefined> {
    return this.image.findAllocated(word);
  }

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.image.environment();
  }
}
