/** Library files as an image: their symbols, and the data as it is before the dynamic linker has touched it. */
import type { Module, ProcessImage, Symbol } from '../../../plugin-api/image';
import type { TypeLayout } from '../../../plugin-api/layout';
import { FaultError } from '../../../plugin-api/result';
import { ElfError, FileSource } from '../../elf/byte-source';
import { openElf } from '../../elf/elf-cache';
import { PT_LOAD, type ElfSegment } from '../../elf/elf-segment';
import { LinkedModules, type LinkedModule } from './linked-modules';

/** Far enough apart that no two files overlap. */
const distance = 1n << 40n;

export class FileImage implements ProcessImage {
  readonly target = 'core';
  private readonly linked: LinkedModules;

  /** Object files have symbols but no data. Throws ElfError, or Node's own error when a file cannot be opened. */
  constructor(paths: readonly string[]) {
    this.linked = new LinkedModules(paths.map(openModule));
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const linked = this.linked.all.find(({ module }) => address >= module.bias && address < module.bias + distance);
    const value = Number(address - (linked?.module.bias ?? 0n));
    const segment = linked?.elf.segments.find(
      (each) => each.type === PT_LOAD && value >= each.address && value + length <= endOfPages(each),
    );
    if (linked === undefined || segment === undefined) throw new FaultError(address, length, 'not in the file');
    const bytes = new Uint8Array(length);
    const inFile = Math.min(length, segment.address + segment.fileSize - value);
    if (inFile > 0) bytes.set(readFile(linked.module.path, value - segment.address + segment.offset, inFile));
    return bytes;
  }

  async modules(): Promise<readonly Module[]> {
    return this.linked.all.map(({ module }) => module);
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return this.linked.find(name, module);
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.linked.at(address);
  }

  async findType(): Promise<TypeLayout | undefined> {
    return undefined;
  }

  async findAllocated(): Promise<undefined> {
    return undefined;
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }
}

/** A segment is mapped in whole pages; behind what the file has of it are zeros. */
function endOfPages({ address, size }: ElfSegment): number {
  return Math.ceil((address + size) / 4096) * 4096;
}

/** Nothing where the file is broken: a version that it might tell is all that is read of it. */
function readFile(path: string, offset: number, length: number): Uint8Array {
  const source = new FileSource(path);
  try {
    return source.read(offset, length);
  } catch (error) {
    if (error instanceof ElfError) return new Uint8Array(0);
    throw error;
  } finally {
    source.close();
  }
}

function openModule(path: string, index: number): LinkedModule {
  const file = openElf(path);
  const bias = distance * BigInt(index + 1);
  const segments = file.segments
    .filter(({ type }) => type === PT_LOAD)
    .map((segment) => ({ ...segment, address: bias + BigInt(segment.address) }));
  return { module: { path, bias, buildId: file.buildId, isExecutable: false, segments }, elf: file };
}
