/** Library files as an image: their symbols, and the data as it is before the dynamic linker has touched it. */
import type { Module, ProcessImage, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError } from '../../plugin-api/result';
import { ElfError, FileSource } from './byte-source';
import { openElf } from './elf-cache';
import { PT_LOAD } from './elf-segment';
import { LinkedModules, type LinkedModule } from './linked-modules';

/** Far enough apart that no two files overlap. */
const distance = 1n << 40n;

export class FileImage implements ProcessImage {
  readonly target = 'core';
  readonly #linked: LinkedModules;

  /** Object files have symbols but no data. Throws ElfError, or Node's own error when a file cannot be opened. */
  constructor(paths: readonly string[]) {
    this.#linked = new LinkedModules(paths.map(openModule));
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    const linked = this.#linked.all.find(({ module }) => address >= module.bias && address < module.bias + distance);
    const value = Number(address - (linked?.module.bias ?? 0n));
    const segment = linked?.elf.segments.find(
      (each) => each.type === PT_LOAD && value >= each.address && value + length <= each.address + each.fileSize,
    );
    if (linked === undefined || segment === undefined) throw new FaultError(address, length, 'not in the file');
    const source = new FileSource(linked.module.path);
    try {
      return source.read(value - segment.address + segment.offset, length);
    } catch (error) {
      if (error instanceof ElfError) throw new FaultError(address, length, error.message);
      throw error;
    } finally {
      source.close();
    }
  }

  async modules(): Promise<readonly Module[]> {
    return this.#linked.all.map(({ module }) => module);
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return this.#linked.find(name, module);
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return this.#linked.at(address);
  }

  async findType(): Promise<TypeLayout | undefined> {
    return undefined;
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }
}

function openModule(path: string, index: number): LinkedModule {
  const { file } = openElf(path);
  const bias = distance * BigInt(index + 1);
  const segments = file.segments
    .filter(({ type }) => type === PT_LOAD)
    .map((segment) => ({ ...segment, address: bias + BigInt(segment.address) }));
  return { module: { path, bias, buildId: file.buildId, isExecutable: false, segments }, elf: file };
}
