/** The names of the functions that a module calls in others, and of the variables that it shares with them, by where it keeps their addresses. */
import type { Module, ProcessImage } from '../../image';
import { readText } from '../../memory';
import { loadHeaders, viewOf } from '../unwind/load-headers';

const PT_DYNAMIC = 2;
const tags = { pltSize: 2, strings: 5, symbols: 6, relocations: 7, relocationsSize: 8, stringsSize: 10, plt: 23 };
const dynamicEntrySize = 16;
const relocationSize = 24;
const symbolSize = 24;
const maxNameLength = 200;
/** For all names of a module. */
const maxStrings = 1 << 24;
/** R_X86_64_GLOB_DAT and R_X86_64_JUMP_SLOT. */
const linkTypes = [6, 7];

/** Slots by their address in the module. */
export class LinkedNames {
  private found: Promise<Map<number, number>> | undefined;
  private dynamic: Promise<Map<number, bigint>> | undefined;

  constructor(
    private readonly image: ProcessImage,
    private readonly module: Module,
  ) {}

  /** undefined: nothing is linked there. Rejects as ProcessImage.readMemory does. */
  async at(slot: number): Promise<string | undefined> {
    const symbol = (await (this.found ??= this.readSlots())).get(slot);
    const { symbols, strings } = await this.tables();
    if (symbol === undefined || symbols === undefined || strings === undefined) return undefined;
    const entry = viewOf(await this.image.readMemory(symbols + BigInt(symbol * symbolSize), 4));
    return readText(this.image, strings + BigInt(entry.getUint32(0, true)), maxNameLength);
  }

  /** Where the module keeps the address of what has this name; undefined: it does not. Rejects as ProcessImage.readMemory does. */
  async slotOf(name: string): Promise<number | undefined> {
    if (!(await this.hasAny([name]))) return undefined;
    for (const slot of (await (this.found ??= this.readSlots())).keys())
      if ((await this.at(slot)) === name) return slot;
    return undefined;
  }

  /** Whether one of these is among the names that the module shares with others. Rejects as ProcessImage.readMemory does. */
  async hasAny(names: readonly string[]): Promise<boolean> {
    const { strings, stringsSize } = await this.tables();
    if (strings === undefined || stringsSize === undefined || stringsSize > maxStrings) return false;
    const text = new TextDecoder('latin1').decode(await this.image.readMemory(strings, Number(stringsSize)));
    return names.some((name) => text.includes(`\0${name}\0`));
  }

  private async readSlots(): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    const { plt, pltSize, relocations, relocationsSize } = await this.tables();
    for (const [start, size] of [
      [plt, pltSize],
      [relocations, relocationsSize],
    ]) {
      if (start === undefined || size === undefined) continue;
      const table = viewOf(await this.image.readMemory(start, Number(size)));
      for (let at = 0; at + relocationSize <= table.byteLength; at += relocationSize)
        if (linkTypes.includes(table.getUint32(at + 8, true)))
          found.set(Number(table.getBigUint64(at, true)), table.getUint32(at + 12, true));
    }
    return found;
  }

  private async tables(): Promise<Partial<Record<keyof typeof tags, bigint>>> {
    const dynamic = await (this.dynamic ??= this.readDynamic());
    const { bias } = this.module;
    // The dynamic linker has replaced most addresses of the file by those in the process.
    const placed = (value: bigint | undefined): bigint | undefined =>
      value === undefined || value >= bias ? value : value + bias;
    return {
      pltSize: dynamic.get(tags.pltSize),
      relocationsSize: dynamic.get(tags.relocationsSize),
      stringsSize: dynamic.get(tags.stringsSize),
      strings: placed(dynamic.get(tags.strings)),
      symbols: placed(dynamic.get(tags.symbols)),
      relocations: placed(dynamic.get(tags.relocations)),
      plt: placed(dynamic.get(tags.plt)),
    };
  }

  private async readDynamic(): Promise<Map<number, bigint>> {
    const found = new Map<number, bigint>();
    const header = (await loadHeaders(this.image, this.module)).find(({ type }) => type === PT_DYNAMIC);
    if (header === undefined) return found;
    const view = viewOf(await this.image.readMemory(header.address, header.size));
    for (let at = 0; at + dynamicEntrySize <= view.byteLength; at += dynamicEntrySize) {
      const tag = Number(view.getBigInt64(at, true));
      if (tag === 0) break;
      found.set(tag, view.getBigUint64(at + 8, true));
    }
    return found;
  }
}
