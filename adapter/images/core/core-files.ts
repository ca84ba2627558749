/** The program and the libraries of a core file as files of this machine: the ones that were mapped, by their build-id. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FaultError } from '../../../plugin-api/result';
import { BytesSource, ElfError, FileSource, type ByteSource } from '../../elf/byte-source';
import type { CoreMapping } from './core-notes';
import { openElf } from '../../elf/elf-cache';
import { readBuildIdAlone, type ElfFile } from '../../elf/elf-file';
import { PT_LOAD } from '../../elf/elf-segment';

/** A mapped file, and what there is of it here. */
export interface FoundFile {
  /** As the process saw it. */
  path: string;
  /** The build-id of the file that was mapped; undefined where the core does not tell. */
  buildId: string | undefined;
  /** Where it is here; undefined where it is not, or only another version of it. */
  here: string | undefined;
  elf: ElfFile | undefined;
  /** Build-id of the other file that has its path. */
  otherBuildId: string | undefined;
  /** True when `here` is certain to be the file that was mapped. */
  isVerified: boolean;
}

const pageSize = 4096;

export class CoreFiles {
  private readonly found = new Map<string, FoundFile>();
  private readonly sources = new Map<string, ByteSource | string>();
  /** Files from elsewhere, by build-id. */
  private readonly provided = new Map<string, string>();

  /** `readDumped`: memory that the core file itself holds; throws FaultError. */
  constructor(
    private readonly mappings: readonly CoreMapping[],
    private readonly readDumped: (address: bigint, length: number) => Uint8Array,
    private readonly searchPath: readonly string[],
  ) {}

  /** `instead`: a file that counts as having the path. */
  find(path: string, instead?: string): FoundFile {
    const key = `${path}\n${instead ?? ''}`;
    const known = this.found.get(key) ?? this.look(path, instead);
    this.found.set(key, known);
    return known;
  }

  /** From now on this file is a candidate for the one with the build-id. */
  provide(buildId: string, file: string): void {
    this.provided.set(buildId, file);
    this.found.clear();
    for (const [path, source] of this.sources) if (typeof source === 'string') this.sources.delete(path);
  }

  /** The file from which to read what was not dumped; else why it cannot be used, to complete a sentence. */
  behind(path: string): ByteSource | string {
    const known = this.sources.get(path) ?? this.open(path);
    this.sources.set(path, known);
    return known;
  }

  /** Whether a file's mapping is of its data; true where that cannot be told. */
  isData({ path, start }: CoreMapping): boolean {
    const loaded = this.find(path).elf?.segments.filter(({ type }) => type === PT_LOAD) ?? [];
    const first = this.mappings.find((each) => each.path === path && each.offset === 0);
    if (first === undefined || loaded[0] === undefined) return true;
    const address = start - first.start + pageOf(loaded[0].address);
    return loaded.some(
      (each) => each.writable && pageOf(each.address) <= address && address < each.address + each.size,
    );
  }

  close(): void {
    for (const source of this.sources.values()) if (source instanceof FileSource) source.close();
    this.sources.clear();
  }

  private open(path: string): ByteSource | string {
    const { here, buildId, otherBuildId, isVerified } = this.find(path);
    if (here === undefined && otherBuildId !== undefined)
      return `the file here is another one (build-id ${otherBuildId}, not ${buildId ?? 'unknown'})`;
    if (here === undefined) return 'the file is not here';
    if (!isVerified) return 'nothing proves that the file here is the one that was mapped';
    return new FileSource(here);
  }

  private look(path: string, instead: string | undefined): FoundFile {
    const start = this.firstPage(path);
    const buildId = start && buildIdIn(start);
    const none = { path, buildId, here: undefined, elf: undefined, isVerified: false };
    let otherBuildId: string | undefined;
    let unproven: FoundFile | undefined;
    for (const candidate of instead === undefined ? this.candidates(path, buildId) : [instead]) {
      const elf = elfAt(candidate);
      if (elf === undefined) continue;
      const same = isSame(buildId, start, elf, candidate);
      if (same === true) return { path, buildId, here: candidate, elf, otherBuildId: undefined, isVerified: true };
      if (same === undefined) unproven ??= { ...none, here: candidate, elf, otherBuildId: undefined };
      else otherBuildId ??= elf.buildId ?? 'none';
    }
    return unproven ?? { ...none, otherBuildId };
  }

  /** As the kernel names it, below the folders of the search path, and in their .build-id folders, whose *.debug files lack the code. */
  private candidates(path: string, buildId: string | undefined): string[] {
    const inFolders = this.searchPath.flatMap((folder) => [
      ...(buildId === undefined ? [] : [join(folder, '.build-id', buildId.slice(0, 2), buildId.slice(2))]),
      join(folder, path),
      join(folder, basename(path)),
    ]);
    const provided = buildId === undefined ? undefined : this.provided.get(buildId);
    return [path, ...inFolders, ...(provided === undefined ? [] : [provided])].filter((candidate) =>
      existsSync(candidate),
    );
  }

  /** The kernel dumps the first page of each ELF file, unless the user has told it not to. */
  private firstPage(path: string): Buffer | undefined {
    const mapping = this.mappings.find((each) => each.path === path && each.offset === 0);
    if (mapping === undefined) return undefined;
    try {
      return Buffer.from(this.readDumped(BigInt(mapping.start), pageSize));
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }
}

function pageOf(address: number): number {
  return address - (address % pageSize);
}

/** Undefined: the core does not tell, so the file may be another one. */
function isSame(
  buildId: string | undefined,
  start: Buffer | undefined,
  elf: ElfFile,
  path: string,
): boolean | undefined {
  if (buildId !== undefined) return elf.buildId === buildId;
  if (start === undefined) return undefined;
  if (elf.buildId !== undefined) return false;
  const source = new FileSource(path);
  try {
    return source.read(0, Math.min(pageSize, source.size)).equals(start.subarray(0, Math.min(pageSize, source.size)));
  } finally {
    source.close();
  }
}

function buildIdIn(start: Buffer): string | undefined {
  try {
    return readBuildIdAlone(new BytesSource(start));
  } catch (error) {
    if (error instanceof ElfError) return undefined;
    throw error;
  }
}

function elfAt(path: string): ElfFile | undefined {
  try {
    return openElf(path);
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
