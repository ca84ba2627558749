/** Adds what gdb knows to an image that reads memory by itself: the layouts of structs, from debug information. */
import type { Module, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import type { EpochImage } from '../images/epoch-image';
import type { GdbThread, GdbThreadGroup } from './context';
import { structLayout } from './struct-layout';

export class GdbImage implements EpochImage {
  private readonly types = new Map<string, Promise<TypeLayout | undefined>>();
  private modulesWithTypes = 0;

  /** `at` need not be one thread for ever: a thread that has ended takes no questions, its process does. */
  constructor(
    private readonly image: EpochImage,
    private readonly at: () => GdbThread | GdbThreadGroup,
  ) {}

  get target(): 'live' | 'core' {
    return this.image.target;
  }

  invalidate(): void {
    this.image.invalidate();
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

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.image.environment();
  }

  /** What gdb learnt of a type holds until another library brings more types. */
  async findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    const { length } = await this.image.modules();
    if (length !== this.modulesWithTypes) this.types.clear();
    this.modulesWithTypes = length;
    const key = [name, ...fields].join(' ');
    let type = this.types.get(key);
    if (type === undefined) {
      type = structLayout(this.at(), name, fields);
      this.types.set(key, type);
    }
    return type;
  }
}
