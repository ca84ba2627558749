/** Adds what gdb knows to an image that reads memory by itself: the layouts of structs, from debug information. */
import type { Module, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import type { EpochImage } from '../images/epoch-image';
import type { GdbThread, GdbThreadGroup } from './context';
import { quote, text } from './mi-values';
import { GdbError } from './mi-connection';
import { select } from './context';

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
      type = this.askForType(name, fields);
      this.types.set(key, type);
    }
    return type;
  }

  private async askForType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    if (!/^\w+$/.test(name)) return undefined;
    const spelling = await this.spellingOf(name);
    if (spelling === undefined) return undefined;
    const layout: TypeLayout & { fields: Record<string, { offset: number; size: number }> } = {
      size: spelling.size,
      fields: {},
    };
    for (const field of fields) {
      const member = `((${spelling.type} *)0)->${field}`;
      const size = await this.number(`sizeof(${member})`);
      const offset = await this.number(`(unsigned long)&(${member})`);
      if (size !== undefined && offset !== undefined) layout.fields[field] = { offset, size };
    }
    return layout;
  }

  /** The struct's tag or, for a struct that has none, its typedef. A type that is only declared has no size. */
  private async spellingOf(name: string): Promise<{ type: string; size: number } | undefined> {
    for (const type of [`struct ${name}`, name]) {
      const size = await this.number(`sizeof(${type})`);
      if (size !== undefined && size > 1) return { type, size };
    }
    return undefined;
  }

  private async number(expression: string): Promise<number | undefined> {
    const { gdb } = this.at();
    try {
      const where = `${select(this.at())} --language c`;
      const value = text(await gdb.command(`-data-evaluate-expression ${where} ${quote(expression)}`), 'value');
      const number = Number(value);
      return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }
}
