/** The program and the libraries of a core file as files of this machine: the ones that were mapped, by their build-id. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FaultError } from '../../../plugin-api/result';
import { BytesSource, ElfError, FileSource, type ByteSource } from '../../elf/byte-source';
import type { CoreMapping } from './core-notes';
import { openElf } from '../../elf/elf-cache';
import { readBuildIdAlone, type ElfFile } from '../../elf/elf-file';
import { PT_LOAD } from '../../elf/elf-segment';

/** A file that the process had mapped. */
export type FileName = Pick<CoreMapping, 'file' | 'path'>;

/** A mapped file, and what there is of it here. */
export interface FoundFile extends FileName {
  /** The build-id of the file that was mapped; undefined where the core does not tell. */
  buildId: string | undefined;
  /** Where it is here; undefined where it is not, or only another version of it. */
  here: string | undefined;
  elf: ElfFile | undefined;
  /** Why a file that could be it was not taken; undefined where there is none. */
  unlike: UnlikeFile | undefined;
  /** True when `here` is certain to be the file that was mapped. */
  isVerified: boolean;
}

/**
 * build: another one; its build-id, undefined where it has none. changed: nothing tells it from another build, and it was changed after
 * the core was written. overwritten: it has the build-id, but the process had loaded other content.
 */
export type UnlikeFile = { kind: 'build'; buildId: string | undefined } | { kind: 'changed' } | { kind: 'overwritten' };

/** What the process had under this name is another file, or none. */
export function isDeleted({ file, path }: FileName): boolean {
  return file !== path;
}

const pageSize = 4096;

export class CoreFiles {
  private readonly found = new Map<string, FoundFile>();
  /** By the kernel's name. */
  private readonly sources = new Map<string, ByteSource | string>();
  /** Files from elsewhere, by build-id. */
  private readonly provided = new Map<string, string>();
  /** Files that the process has not loaded, although they look like it. */
  private readonly refused = new Map<string, UnlikeFile>();

  /** `readDumped`: memory that the core file itself holds; throws FaultError. `written`: when that was, in seconds since 1970. */
  constructor(
    private readonly mappings: readonly CoreMapping[],
    private readonly readDumped: (address: bigint, length: number) => Uint8Array,
    private readonly searchPath: readonly string[],
    private readonly written: number,
  ) {}

  /** `instead`: a file that counts as having the path. */
  find(name: FileName, instead?: string): FoundFile {
    const key = `${name.file}\n${instead ?? ''}`;
    const known = this.found.get(key) ?? this.look(name, instead);
    this.found.set(key, known);
    return known;
  }

  /** From now on this file is a candidate for the one with the build-id. */
  provide(buildId: string, file: string): void {
    this.provided.set(buildId, file);
    this.found.clear();
    for (const [name, source] of this.sources) if (typeof source === 'string') this.sources.delete(name);
  }

  /** The process has not loaded what is in this file now. */
  refuse({ here, isVerified, elf }: FoundFile): void {
    if (here === undefined) return;
    this.refused.set(here, isVerified ? { kind: 'overwritten' } : { kind: 'build', buildId: elf?.buildId });
    this.found.clear();
    this.close();
  }

  /** The file from which to read what was not dumped; else why it cannot be used, to complete a sentence. */
  behind(name: FileName): ByteSource | string {
    const known = this.sources.get(name.file) ?? this.open(name);
    this.sources.set(name.file, known);
    return known;
  }

  /** Whether a file's mapping is of its data; true where that cannot be told. */
  isData(mapping: CoreMapping): boolean {
    const loaded = this.find(mapping).elf?.segments.filter(({ type }) => type === PT_LOAD) ?? [];
    const first = this.firstMapping(mapping);
    if (first === undefined || loaded[0] === undefined) return true;
    const address = mapping.start - first.start + pageOf(loaded[0].address);
    return loaded.some(
      (each) => each.writable && pageOf(each.address) <= address && address < each.address + each.size,
    );
  }

  close(): void {
    for (const source of this.sources.values()) if (source instanceof FileSource) source.close();
    this.sources.clear();
  }

  private open(name: FileName): ByteSource | string {
    const { here, buildId, unlike, isVerified } = this.find(name);
    if (here === undefined && unlike !== undefined) return `the file here ${whyUnlike(unlike, buildId)}`;
    if (here === undefined) return 'the file is not here';
    if (!isVerified) return 'nothing proves that the file here is the one that was mapped';
    return new FileSource(here);
  }

  private look({ file, path }: FileName, instead: string | undefined): FoundFile {
    const start = this.firstPage({ file, path });
    const buildId = start && buildIdIn(start);
    const none = { file, path, buildId, here: undefined, elf: undefined, unlike: undefined, isVerified: false };
    let unlike: UnlikeFile | undefined;
    let unproven: FoundFile | undefined;
    // What has the name of a deleted file is the same one only if its build-id proves it.
    const own = isDeleted({ file, path }) && buildId === undefined ? [] : [path];
    const named = instead === undefined ? this.inSearchPath(path, buildId) : [instead];
    const candidates = new Set(instead === undefined ? [...own, ...named] : named);
    for (const candidate of [...candidates].filter((each) => existsSync(each))) {
      const elf = elfAt(candidate);
      if (elf === undefined) continue;
      const same = this.refused.get(candidate) ?? isSame(buildId, start, elf, candidate);
      if (typeof same === 'object') unlike ??= same;
      else if (buildId === undefined && !named.includes(candidate) && changedAfter(this.written, candidate))
        unlike ??= { kind: 'changed' };
      else if (same === 'certain') return { ...none, here: candidate, elf, isVerified: true };
      else unproven ??= { ...none, here: candidate, elf };
    }
    return unproven ?? { ...none, unlike };
  }

  /** Below the folders of the search path, in their .build-id folders, whose *.debug files lack the code, and what was provided. */
  private inSearchPath(path: string, buildId: string | undefined): string[] {
    const provided = buildId === undefined ? undefined : this.provided.get(buildId);
    const inFolders = this.searchPath.flatMap((folder) => [
      ...(buildId === undefined ? [] : [join(folder, '.build-id', buildId.slice(0, 2), buildId.slice(2))]),
      join(folder, path),
      join(folder, basename(path)),
    ]);
    return [...inFolders, ...(provided === undefined ? [] : [provided])];
  }

  /** The kernel dumps the first page of each ELF file, unless the user has told it not to. */
  private firstPage(name: FileName): Buffer | undefined {
    const mapping = this.firstMapping(name);
    if (mapping === undefined) return undefined;
    try {
      return Buffer.from(this.readDumped(BigInt(mapping.start), pageSize));
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  private firstMapping({ file }: FileName): CoreMapping | undefined {
    return this.mappings.find((each) => each.file === file && each.offset === 0);
  }
}

function pageOf(address: number): number {
  return address - (address % pageSize);
}

/** Completes "the file here …". */
export function whyUnlike(unlike: UnlikeFile, buildId: string | undefined): string {
  if (unlike.kind === 'build')
    return `is another one (build-id ${unlike.buildId ?? 'none'}, not ${buildId ?? 'unknown'})`;
  return unlike.kind === 'changed'
    ? 'was changed after the core file was written'
    : 'has other content than the process had loaded';
}

/** unknown: the core does not tell, so the file may be another one. */
function isSame(
  buildId: string | undefined,
  start: Buffer | undefined,
  elf: ElfFile,
  path: string,
): UnlikeFile | 'certain' | 'unknown' {
  const another = { kind: 'build', buildId: elf.buildId } as const;
  if (buildId !== undefined) return elf.buildId === buildId ? 'certain' : another;
  if (start === undefined) return 'unknown';
  if (elf.buildId !== undefined) return another;
  return withSource(path, (source) => {
    const length = Math.min(pageSize, source.size);
    return source.read(0, length).equals(start.subarray(0, length)) ? 'certain' : another;
  });
}

/** Who builds a file without a build-id again may change no more than some constants. */
function changedAfter(time: number, path: string): boolean {
  return withSource(path, ({ changed }) => changed > time);
}

function withSource<Result>(path: string, use: (source: FileSource) => Result): Result {
  const source = new FileSource(path);
  try {
    return use(source);
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
