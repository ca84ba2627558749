/** A process as its core file shows it, read directly without a debugger. Knows no debug information. */
import { statSync } from 'node:fs';
import type { Module, Search, Symbol } from '../../../plugin-api/image';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { shippedMpis } from '../../../plugin-api/plugins/shipped';
import { searchAllocated } from '../allocated-memory';
import { ElfError, FileSource, type ByteSource } from '../../elf/byte-source';
import { boundSymbol } from './bound-symbols';
import { readArguments, readEnvironment } from './core-environment';
import { readCore, type CoreFile, type CoreSegment } from './core-file';
import { CoreFiles, type FileName, type FoundFile } from './core-files';
import { isLoadedAsItIs, wordsOf } from './core-linkage';
import { CoreMemory, rangeAt } from './core-memory';
import type { CoreMapping } from './core-notes';
import type { EpochImage } from '../epoch-image';
import type { ElfFile } from '../../elf/elf-file';
import { readLinkMap, type LinkMapEntry } from '../modules/link-map';
import { LinkedImage } from '../modules/linked-image';
import type { LinkedModule, LinkedModules } from '../modules/linked-modules';
import type { MemoryReader } from '../memory-reader';
import { OfEpoch } from '../of-epoch';
import { linkMappedModules, readMappedElf } from '../modules/mapped-modules';
import type { Mapping } from '../../hosts/process-maps';

/** AT_PHDR and AT_ENTRY: addresses in the program. */
const inProgram = [3, 9];
/** Where nobody looks at variables: the system's libraries, and files that are no programs. */
const elsewhere = /^\/(usr\/(?!local\/)|lib|dev\/|proc\/|SYSV)/;
const page = 4096;
/** A library has about five. */
const maxMappings = 200;

export interface CoreImageOptions {
  /** Folders in which files are looked for that are not where the process had them. */
  searchPath?: readonly string[];
  /** Taken for the process' program when it is that file, or nothing tells. */
  program?: string;
  /** Default: the shipped ones. */
  mpis?: KnownMpis;
  /** Path of the compressed file that it was unpacked from. */
  origin?: string;
}

export class CoreImage extends LinkedImage implements EpochImage {
  readonly target = 'core';
  readonly core: CoreFile;
  readonly memory: CoreMemory;
  private readonly source: FileSource;
  private readonly files: CoreFiles;
  protected readonly linked = new OfEpoch(() => this.linkModules());
  /** All memory, and what the file itself holds of it. */
  private readonly whole: MemoryReader = { read: async (address, length) => this.memory.read(address, length) };
  private readonly dumped: MemoryReader = { read: async (address, length) => this.memory.readDumped(address, length) };
  private isClosed = false;
  private variables: ReadonlyMap<string, string> | undefined;
  private cutData: string | undefined;
  private readonly mpis: KnownMpis;

  /** Throws ElfError, or Node's own error when the file cannot be opened. */
  constructor(
    readonly path: string,
    private readonly options: CoreImageOptions = {},
  ) {
    super();
    this.mpis = options.mpis ?? shippedMpis;
    this.source = new FileSource(path);
    try {
      this.core = readCore(this.source);
    } catch (error) {
      this.source.close();
      throw error;
    }
    this.memory = new CoreMemory(this.core, this.source, (mapping) => this.fileBehind(mapping));
    this.files = new CoreFiles(
      this.core.mappings,
      (address, length) => this.memory.readDumped(address, length),
      options.searchPath ?? [],
      modifiedAt(this.origin) ?? this.source.modified,
    );
  }

  /** The file that the user knows. */
  get origin(): string {
    return this.options.origin ?? this.path;
  }

  /** The size of the file that is read, in bytes. */
  get size(): number {
    return this.source.size;
  }

  /** When it was written: seconds since 1970. */
  get modified(): number {
    return this.source.modified;
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    return this.memory.read(address, length);
  }

  async findAllocated(word: number): Promise<Search> {
    const { all } = await this.linked.get();
    // The kernel announces nothing of memory that was never written to. Nor of what its owner keeps out of dumps
    // (MADV_DONTDUMP), which gcore does not even mention: the C library's allocator keeps nothing out.
    const isUnwritten = ({ announced }: CoreSegment): boolean => announced === 0 && this.holdsWrittenPages;
    const areas = this.core.segments.filter(
      (area) =>
        area.writable && !isUnwritten(area) && !rangeAt(this.core.mappings, area.start) && !isModuleData(all, area),
    );
    const sized = areas.map(({ start, end }) => ({ start: BigInt(start), size: end - start }));
    return searchAllocated(sized, this.dumped, word, 'core');
  }

  /** The program and its arguments; undefined where the core does not hold them. */
  arguments(): readonly string[] | undefined {
    return readArguments(this.core, this.memory);
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return (this.variables ??= readEnvironment(this.core, this.memory));
  }

  /** A core never runs. */
  invalidate(): void {
    // Nothing that was read of it becomes wrong.
  }

  /** The program's path as the process saw it; undefined where the core does not tell. */
  get programPath(): string | undefined {
    return this.programName()?.path;
  }

  /** The program as a file of this machine; the user's one first, which is wrong when another build-id shows. */
  program(): FoundFile | undefined {
    const name = this.programName();
    if (name === undefined) return undefined;
    if (this.options.program !== undefined) {
      const named = this.files.find(name, this.options.program);
      if (named.here !== undefined) return named;
    }
    return this.files.find(name);
  }

  /** Whether the file can be the program that wrote this core; undefined where nothing tells. */
  isWrittenBy(program: string): boolean | undefined {
    const name = this.programName();
    if (name === undefined) return undefined;
    const { here, isVerified } = this.files.find(name, program);
    return here === undefined ? false : isVerified ? true : undefined;
  }

  /** Everything that was mapped to be run. */
  mappedFiles(): FoundFile[] {
    const program = this.programName();
    const names = new Map(this.mappings().flatMap((each) => (each.executable ? [[each.file, each]] : [])));
    return [...names.values()].map((name) => (name.file === program?.file ? this.program()! : this.files.find(name)));
  }

  /** Takes no file any more whose content is not what the process had loaded. */
  async refuseOverwritten(): Promise<void> {
    const all = this.moduleMappings();
    const listed = (await this.linkMap()).map(({ dynamicSection }) => dynamicSection);
    const isWhole = this.holdsWrittenPages && this.core.missing === 0;
    for (const { file } of this.mappedFiles()) {
      const mappings = all.filter((each) => each.file === file);
      if (mappings.length === 0) continue;
      for (;;) {
        const found = this.mappedFiles().find((each) => each.file === file);
        if (found?.here === undefined || found.elf === undefined) break;
        const { here, elf } = found;
        if (await isLoadedAsItIs({ here, elf }, { mappings, dumped: this.dumped, listed, isWhole })) break;
        this.files.refuse(found);
        this.linked.forget();
      }
    }
  }

  /** A file that may be the one with this build-id, whatever its name is. */
  provide(buildId: string, file: string): void {
    this.files.provide(buildId, file);
    this.linked.forget();
  }

  /** The MPI library, where it is not here and the core does not hold enough of it: its symbols are needed. */
  async absentMpi(): Promise<FoundFile | undefined> {
    const absent = this.mappedFiles().find(({ path, here }) => here === undefined && this.mpis.holdsObjects(path));
    if (absent === undefined) return undefined;
    // A file that is wholly in memory has known symbols nevertheless.
    const isKnown = (await this.linked.get()).all.some(({ module }) => module.path === absent.path);
    return isKnown ? undefined : absent;
  }

  /** What was mapped of files, without opening one of them: enough to tell whose code an address is in. */
  mapped(): Pick<Module, 'path' | 'isExecutable' | 'segments'>[] {
    return this.core.mappings.map(({ start, end, path }) => {
      const size = end - start;
      const executable = this.isExecutable(start);
      const segment = { address: BigInt(start), size, fileSize: size, writable: false, executable };
      return { path, isExecutable: path === this.programPath, segments: [segment] };
    });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.files.close();
    this.source.close();
  }

  /** Undumped data is as in its file when the kernel has dumped everything that was written to. */
  private fileBehind(mapping: CoreMapping): ByteSource | string {
    if (!this.holdsWrittenPages && this.files.isData(mapping)) return 'no page that was written to has been dumped';
    return this.files.behind(mapping);
  }

  /** For variables: where the file has no data, gdb silently shows the program's initial values. */
  get whyNoValues(): string | undefined {
    if (!this.holdsWrittenPages)
      return 'the core file holds no memory that the program has written to (see coredump_filter in core(5))';
    const cut = (this.cutData ??= this.findCutData());
    return cut === '' ? undefined : `the core file is truncated before the data of ${cut}`;
  }

  /** A program or library of the user whose data is not wholly there; '' where all are. */
  private findCutData(): string {
    const cut = this.core.segments.filter(({ writable, dumped, announced }) => writable && dumped < announced);
    if (cut.length === 0) return '';
    // Data without values lies behind that of the file.
    const behind = new Map(this.core.mappings.map(({ end, path }) => [end, path]));
    const paths = cut.map(({ start }) => rangeAt(this.core.mappings, start)?.path ?? behind.get(start));
    return paths.find((path) => path?.startsWith('/') && !elsewhere.test(path) && !this.mpis.isForMessages(path)) ?? '';
  }

  /** Bit 0 of coredump_filter: then at least the stacks are there, which are of no file. */
  private get holdsWrittenPages(): boolean {
    const { segments, mappings } = this.core;
    return segments.some((each) => each.writable && each.announced > 0 && !rangeAt(mappings, each.start));
  }

  /** With the files in which their symbols are. */
  async linkedModules(): Promise<readonly LinkedModule[]> {
    return (await this.linked.get()).all;
  }

  override async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    const found = await super.findSymbol(name, module);
    if (found === undefined || module !== undefined || found.module.isExecutable) return found;
    const { all } = await this.linked.get();
    const isProgramKnown = all.some((each) => each.module.isExecutable && each.elf.dynamicSymbols !== undefined);
    const defining = all.find((each) => each.module === found.module);
    const { here } = this.fileAt(found.address) ?? {};
    const words =
      isProgramKnown || defining === undefined || here === undefined ? undefined : wordsOf(here, defining.elf);
    return words === undefined ? found : boundSymbol(found, words, this.whole);
  }

  /** What the dynamic linker has loaded; empty where that cannot be read. */
  async linkMap(): Promise<LinkMapEntry[]> {
    const executable = (await this.linked.get()).all.find(({ module }) => module.isExecutable);
    return executable === undefined ? [] : readLinkMap(executable, this.whole);
  }

  /** What is mapped at the address. */
  fileAt(address: bigint): FoundFile | undefined {
    const mapping = rangeAt(this.core.mappings, Number(address));
    return mapping && this.files.find(mapping);
  }

  private programName(): CoreMapping | undefined {
    for (const type of inProgram) {
      const address = this.core.auxiliary.get(type);
      const mapping = address === undefined ? undefined : rangeAt(this.core.mappings, Number(address));
      if (mapping !== undefined) return mapping;
    }
    return undefined;
  }

  private linkModules(): Promise<LinkedModules> {
    const program = this.programName()?.file;
    return linkMappedModules(this.moduleMappings(), this.whole, {
      isExecutable: ({ file }) => file === program,
      open: (mappings, isExecutable) => this.open(mappings, isExecutable),
    });
  }

  private async open(mappings: readonly CoreFileMapping[], isExecutable: boolean): Promise<ElfFile | undefined> {
    const { elf } = (isExecutable ? this.program() : undefined) ?? this.files.find(mappings[0]!);
    if (elf !== undefined) return elf;
    try {
      // The headers of a program alone say where it lies, and lead to the dynamic linker's list.
      return await readMappedElf(mappings, this.dumped, { isWhole: !isExecutable });
    } catch (error) {
      // FaultError has a code, too.
      if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
      throw error;
    }
  }

  /** Without files that are mapped again and again: those are data, or the core makes them up. */
  private moduleMappings(): CoreFileMapping[] {
    const counts = new Map<string, number>();
    for (const { file } of this.core.mappings) counts.set(file, (counts.get(file) ?? 0) + 1);
    return this.mappings().filter(({ file }) => (counts.get(file) ?? 0) <= maxMappings);
  }

  /** NT_FILE does not say what may be executed, the segments do; gcore leaves out those that nothing can have changed. */
  private isExecutable(start: number): boolean {
    return rangeAt(this.core.segments, start)?.executable ?? true;
  }

  private mappings(): CoreFileMapping[] {
    const ofFiles = this.core.mappings.filter(({ path }) => path.startsWith('/'));
    return ofFiles.map(({ start, end, offset, file, path }) => ({
      start: BigInt(start),
      end: BigInt(end),
      offset,
      path,
      executable: this.isExecutable(start),
      inode: 0n,
      file,
    }));
  }
}

type CoreFileMapping = Mapping & FileName;

/** The end of a program's or library's data that is in no file; the kernel dumps none of it that was never written. */
function isModuleData(modules: readonly LinkedModule[], { start, end }: { start: number; end: number }): boolean {
  return modules.some(({ module }) =>
    module.segments.some(({ address, size, writable }) => {
      const last = Math.ceil((Number(address) + size) / page) * page;
      return writable && Number(address) <= start && end <= last;
    }),
  );
}

/** Seconds since 1970; undefined: the file is gone. */
function modifiedAt(path: string): number | undefined {
  const time = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return time === undefined ? undefined : Math.floor(time / 1000);
}
