/** An image with the debug information of a library told by a layout table, as `mpidbg layout` makes it: without gdb. */
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { LayoutTable, TypeLayout } from '../../plugin-api/layout';

export class TypedImage implements ProcessImage {
  constructor(
    private readonly image: ProcessImage,
    private readonly types: LayoutTable,
  ) {}

  get target(): 'live' | 'core' {
    return this.image.target;
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

  async findType(name: string): Promise<TypeLayout | undefined> {
    return this.types[name];
  }

  findAllocated(word: number): Promise<Search | undefined> {
    return this.image.findAllocated(word);
  }

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.image.environment();
  }
}
