/** An image that finds symbols in the files of its modules, and knows no debug information. */
import type { Module, Symbol } from '../../../plugin-api/image';
import type { LinkedModules } from './linked-modules';

export abstract class LinkedImage {
  protected abstract readonly linked: { get(): Promise<LinkedModules> };

  async modules(): Promise<readonly Module[]> {
    return (await this.linked.get()).modules;
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return (await this.linked.get()).find(name, module);
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return (await this.linked.get()).at(address);
  }

  async findType(): Promise<undefined> {
    return undefined;
  }
}
