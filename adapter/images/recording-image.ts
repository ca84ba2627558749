/** Records everything that queries read from a process, so that a RecordedImage can answer them again without it. */
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import type { Module, ProcessImage, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError } from '../../plugin-api/result';
import type { RecordedModule, RecordedSymbol, Recording } from './recording';
import { faultKey, symbolKey, typeKey } from './recording';

/** A decoder that reads a little more of a struct next year still finds it in the recording. */
const BLOCK_SIZE = 256n;
/** A longer read is no struct. */
const maxWidenedLength = 1 << 24;

/** The launcher's own names for rank and size; nothing else of a machine's environment belongs in a recording. */
const RECORDED_VARIABLES = new Set((['rank', 'size', 'local'] as const).flatMap((what) => shippedMpis.variables(what)));

/** Every byte is read once: the answers are those of one moment, also where the process runs meanwhile. */
export class RecordingImage implements ProcessImage {
  private readonly image: ProcessImage;
  private readonly blocks = new Map<bigint, Uint8Array>();
  /** Reads that were possible only without widening them to blocks. */
  private readonly fragments = new Map<string, { address: bigint; bytes: Uint8Array }>();
  private readonly faults = new Map<string, FaultError>();
  private readonly symbols = new Map<string, Symbol | undefined>();
  private readonly symbolsAt = new Map<bigint, Symbol | undefined>();
  private readonly searches = new Map<number, Search | undefined>();
  private readonly types = new Map<string, TypeLayout | undefined>();

  constructor(image: ProcessImage) {
    this.image = image;
  }

  get target(): 'live' | 'core' {
    return this.image.target;
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const key = faultKey(address, length);
    const fault = this.faults.get(key);
    if (fault !== undefined) throw fault;
    const fragment = this.fragments.get(key);
    if (fragment !== undefined) return fragment.bytes.slice();
    try {
      return (await this.readBlocks(address, length)) ?? (await this.readFragment(address, length));
    } catch (error) {
      if (error instanceof FaultError) this.faults.set(key, error);
      throw error;
    }
  }

  /** undefined when the blocks cannot be read as a whole. */
  private async readBlocks(address: bigint, length: number): Promise<Uint8Array | undefined> {
    if (!(length >= 0 && length <= maxWidenedLength)) return undefined;
    const bytes = new Uint8Array(length);
    const end = address + BigInt(length);
    for (let start = address - (address % BLOCK_SIZE); start < end; start += BLOCK_SIZE) {
      const block = this.blocks.get(start) ?? (await this.readBlock(start));
      if (block === undefined) return undefined;
      this.blocks.set(start, block);
      const skipped = start < address ? Number(address - start) : 0;
      const offset = start < address ? 0 : Number(start - address);
      bytes.set(block.subarray(skipped, skipped + length - offset), offset);
    }
    return bytes;
  }

  private async readBlock(start: bigint): Promise<Uint8Array | undefined> {
    try {
      return await this.image.readMemory(start, Number(BLOCK_SIZE));
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  private async readFragment(address: bigint, length: number): Promise<Uint8Array> {
    const bytes = await this.image.readMemory(address, length);
    this.fragments.set(faultKey(address, length), { address, bytes });
    return bytes;
  }

  modules(): Promise<readonly Module[]> {
    return this.image.modules();
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    const found = await this.image.findSymbol(name, module);
    this.symbols.set(symbolKey(name, module && indexOf(await this.modules(), module)), found);
    return found;
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    const found = await this.image.symbolAt(address);
    this.symbolsAt.set(address, found);
    return found;
  }

  async findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    const found = await this.image.findType(name, fields);
    this.types.set(typeKey(name, fields), found);
    return found;
  }

  async findAllocated(word: number): Promise<Search | undefined> {
    const found = await this.image.findAllocated(word);
    this.searches.set(word, found);
    return found;
  }

  /** Only what is recorded, so that no query can depend on more. */
  async environment(): Promise<ReadonlyMap<string, string>> {
    const environment = await this.image.environment();
    return new Map([...environment].filter(([name]) => RECORDED_VARIABLES.has(name)).sort(byKey));
  }

  /** The same set of reads gives the same recording, in any order. */
  async recording(): Promise<Recording> {
    const modules = await this.modules();
    const symbol = (found: Symbol | undefined): RecordedSymbol | null => (found ? recordSymbol(found, modules) : null);
    return {
      target: this.target,
      environment: Object.fromEntries(await this.environment()),
      modules: modules.map(recordModule),
      symbols: sortedRecord(this.symbols, (key) => key, symbol),
      symbolsAt: sortedRecord(this.symbolsAt, (address) => address.toString(16), symbol),
      types: sortedRecord(
        this.types,
        (key) => key,
        (layout) => layout ?? null,
      ),
      ...(this.searches.size === 0 ? {} : { searches: sortedRecord(this.searches, String, recordSearch) }),
      memory: this.memory(),
      faults: [...this.faults.values()]
        .sort((a, b) => compare(a.address, b.address) || a.length - b.length)
        .map(({ address, length }) => ({ address: address.toString(16), length })),
    };
  }

  private memory(): Recording['memory'] {
    const blocks = [...this.blocks].map(([address, bytes]) => ({ address, bytes }));
    const runs: { address: bigint; parts: Uint8Array[]; end: bigint }[] = [];
    const pieces = [...blocks, ...this.fragments.values()].sort((a, b) => compare(a.address, b.address));
    for (const { address, bytes } of pieces) {
      const last = runs.at(-1);
      const end = address + BigInt(bytes.length);
      if (last === undefined || address > last.end) runs.push({ address, parts: [bytes], end });
      else if (end > last.end) {
        last.parts.push(bytes.subarray(Number(last.end - address)));
        last.end = end;
      }
    }
    return runs.map(({ address, parts }) => ({
      address: address.toString(16),
      bytes: Buffer.concat(parts).toString('hex'),
    }));
  }
}

function recordSearch(found: Search | undefined): { addresses: string[]; gap?: string } | null {
  if (found === undefined) return null;
  const addresses = found.addresses.map((address) => address.toString(16));
  return found.gap === undefined ? { addresses } : { addresses, gap: found.gap };
}

function recordModule({ path, bias, buildId, isExecutable, segments }: Module): RecordedModule {
  return {
    path: anonymousPath(path),
    bias: bias.toString(16),
    buildId: buildId ?? null,
    isExecutable,
    segments: segments.map((segment) => ({ ...segment, address: segment.address.toString(16) })),
  };
}

/** System libraries keep their path; users' paths are private and left out. */
function anonymousPath(path: string): string {
  return /^\/(usr|lib|lib64)\//.test(path) ? path : `/recorded/${path.slice(path.lastIndexOf('/') + 1)}`;
}

function recordSymbol({ name, address, size, module }: Symbol, modules: readonly Module[]): RecordedSymbol {
  return { name, address: address.toString(16), size, module: indexOf(modules, module) };
}

function indexOf(modules: readonly Module[], module: Module): number {
  return modules.findIndex((each) => each.path === module.path && each.bias === module.bias);
}

function sortedRecord<K, V, R>(
  map: ReadonlyMap<K, V>,
  toKey: (key: K) => string,
  toValue: (value: V) => R,
): Record<string, R> {
  return Object.fromEntries([...map].map(([key, value]): [string, R] => [toKey(key), toValue(value)]).sort(byKey));
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
