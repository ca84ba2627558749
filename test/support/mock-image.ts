/** A process made of bytes that a test wrote: what a decoder reads is there because the test put it there. */
import type { Module, ProcessImage, Search, Segment, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError } from '../../plugin-api/result';

interface Area {
  start: bigint;
  bytes: Uint8Array;
}

export class MockImage implements ProcessImage {
  readonly types = new Map<string, TypeLayout>();
  readonly variables = new Map<string, string>();
  private readonly areas: Area[] = [];
  private readonly loaded: Module[] = [];
  private readonly symbols: Symbol[] = [];

  constructor(readonly target: 'live' | 'core' = 'live') {}

  /** Makes `size` zero bytes readable. */
  map(start: bigint, size: number): void {
    this.areas.push({ start, bytes: new Uint8Array(size) });
  }

  /** Makes the mapping that holds this address unreadable. */
  unmap(address: bigint): void {
    const area = this.areaOf(address, 1);
    if (area !== undefined) this.areas.splice(this.areas.indexOf(area), 1);
  }

  /** Loads a module; its segments become readable. */
  load(path: string, segments: (Pick<Segment, 'address' | 'size'> & Partial<Segment>)[], isExecutable = false): Module {
    const module: Module = {
      path,
      bias: 0n,
      buildId: undefined,
      isExecutable,
      segments: segments.map((s) => ({ fileSize: s.size, writable: false, executable: false, ...s })),
    };
    for (const { address, size } of module.segments) this.map(address, size);
    this.loaded.push(module);
    return module;
  }

  define(name: string, address: bigint, module: Module, size = 8): void {
    this.symbols.push({ name, address, size, module });
  }

  writeI32(address: bigint, ...values: number[]): void {
    const view = this.view(address, 4 * values.length);
    values.forEach((value, i) => view.setInt32(4 * i, value, true));
  }

  writeU64(address: bigint, ...values: bigint[]): void {
    const view = this.view(address, 8 * values.length);
    values.forEach((value, i) => view.setBigUint64(8 * i, BigInt.asUintN(64, value), true));
  }

  writeBytes(address: bigint, ...bytes: number[]): void {
    const view = this.view(address, bytes.length);
    bytes.forEach((byte, i) => view.setUint8(i, byte));
  }

  /** With its NUL. */
  writeText(address: bigint, text: string): void {
    this.writeBytes(address, ...new TextEncoder().encode(`${text}\0`));
  }

  /** Fields by their path; a number or address takes as many bytes as the field has, a text its bytes and a NUL. */
  writeStruct(layout: TypeLayout, address: bigint, values: Record<string, number | bigint | string>): void {
    for (const [path, value] of Object.entries(values)) {
      const field = layout.fields[path];
      if (field === undefined) throw new Error(`the layout has no field ${path}`);
      const at = address + BigInt(field.offset);
      if (typeof value === 'string') this.writeText(at, value);
      else this.writeInteger(at, field.size, BigInt(value));
    }
  }

  private writeInteger(address: bigint, size: number, value: bigint): void {
    const view = this.view(address, size);
    for (let i = 0; i < size; i++) view.setUint8(i, Number(BigInt.asUintN(8, value >> BigInt(8 * i))));
  }

  private view(address: bigint, length: number): DataView {
    const area = this.areaOf(address, length);
    if (area === undefined) throw new Error(`the test did not map ${length} bytes at 0x${address.toString(16)}`);
    return new DataView(area.bytes.buffer, Number(address - area.start), length);
  }

  private areaOf(address: bigint, length: number): Area | undefined {
    return this.areas.find(
      ({ start, bytes }) => address >= start && address + BigInt(length) <= start + BigInt(bytes.length),
    );
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const area = this.areaOf(address, length);
    if (area === undefined) throw new FaultError(address, length);
    const at = Number(address - area.start);
    return area.bytes.slice(at, at + length);
  }

  async modules(): Promise<readonly Module[]> {
    return this.loaded;
  }

  /** The executable's own definition before those of the libraries. */
  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    const found = this.symbols.filter((s) => s.name === name && (module === undefined || s.module === module));
    return found.find((s) => s.module.isExecutable) ?? found[0];
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.symbols.find((s) => address >= s.address && address < s.address + BigInt(s.size || 1));
  }

  async findType(name: string, _fields: readonly string[]): Promise<TypeLayout | undefined> {
    return this.types.get(name);
  }

  /** In what map() made readable. */
  async findAllocated(word: number): Promise<Search | undefined> {
    const segments = new Set(this.loaded.flatMap((module) => module.segments.map(({ address }) => address)));
    const areas = this.areas.filter(({ start }) => !segments.has(start));
    const addresses = areas.flatMap(({ start, bytes }) => {
      const view = new DataView(bytes.buffer);
      const places = Array.from({ length: bytes.length >> 4 }, (_, i) => 16 * i);
      return places.filter((at) => view.getInt32(at, true) === (word | 0)).map((at) => start + BigInt(at));
    });
    return { addresses };
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return this.variables;
  }
}
