/**
 * Where a debugger can read the symbols of a process' modules. By itself it looks for the names that the dynamic linker has: these
 * may mean another file by now, and mean another one to it if they are relative, or of another root directory.
 */
import { isAbsolute, posix } from 'node:path';
import { mappingLink, type HostProcess } from '../../hosts/host-process';
import { dynamicSectionOf, readLinkMap } from '../modules/link-map';
import { readModules } from './live-modules';
import { isFileOfName, type FileChange, type MappedFile } from './mapped-file';

/** A file that the process has mapped, by the kernel's name of it. */
export type LoadedFile = Pick<MappedFile, 'path'>;

/** A file with code of which nothing can be read: what the process has loaded is on disk no more. */
export interface ChangedFile {
  readonly kind: 'changed';
  readonly path: string;
  readonly change: FileChange;
}

/** A file that the debugger does not find by itself. */
export interface NamedFile {
  /** In the mount namespace of the process. */
  readonly path: string;
  /** Device and inode: another one when the name means another file. */
  readonly file: string;
  readonly bias: bigint;
  /** Its dynamic section: an address that is in it. */
  readonly at: bigint;
}

/** A library that the debugger finds by itself. */
export interface FoundFile extends Pick<NamedFile, 'file' | 'at'> {
  /** As the dynamic linker has it. */
  readonly name: string;
}

/** What a debugger has read by itself, by an address in each: device and inode of the file. */
export type ReadFiles = ReadonlyMap<bigint, string>;

export interface SymbolFiles {
  readonly findsProgram: boolean;
  /** Where the program is, for a debugger that has not taken the process yet and must not look for names as it does so. */
  readonly program: Pick<NamedFile, 'path' | 'bias'> | undefined;
  /**
   * False: to look for the name of the dynamic linker, or of the C library, would find another file. A debugger reads the symbols
   * of these two by itself as soon as it has the process.
   */
  readonly findsLinker: boolean;
  /** False: a library's name means something else to each process, perhaps a pipe, from which a debugger would read for ever. */
  readonly mayLook: boolean;
  readonly found: readonly FoundFile[];
  /** It finds all of them. */
  readonly findsAll: boolean;
  /** It has read a library whose file has another content by now, or is no longer loaded there. */
  readonly mustForget: boolean;
  readonly named: readonly NamedFile[];
  /** All of them: the program and its libraries. */
  readonly loaded: readonly LoadedFile[];
  readonly lost: readonly ChangedFile[];
}

/**
 * `read`: before; of a file that has lost its name since, the debugger still has what the process has loaded. Rejects with
 * ProcessAccessError.
 */
export async function symbolFilesOf(process: HostProcess, read: ReadFiles = new Map()): Promise<SymbolFiles> {
  const memory = process.openMemory();
  try {
    const { files, linked } = await readModules(process, memory);
    const [link, root, pid] = await Promise.all([process.programLink(), process.rootDirectory(), process.pidInside()]);
    const keyOf = ({ mappings }: MappedFile): string | undefined => mappings[0]?.file;
    const nameOf = ({ path, readableBy, mappings: [first] }: MappedFile): string | undefined => {
      if (readableBy !== 'link' || first === undefined) return readableBy === 'name' ? path : undefined;
      return mappingLink(pid, first);
    };
    const named = (file: MappedFile, at: bigint): NamedFile | undefined => {
      const [path, bias] = [nameOf(file), biases.get(at)];
      const key = keyOf(file);
      return path === undefined || bias === undefined || key === undefined ? undefined : { path, file: key, bias, at };
    };
    const biases = new Map(linked.all.map((each) => [dynamicSectionOf(each)?.address, each.module.bias]));

    const executable = linked.all.find(({ module }) => module.isExecutable);
    const entries = executable === undefined ? [] : await readLinkMap(executable, memory);
    const fileAt = (at: bigint): MappedFile | undefined =>
      files.find(({ mappings }) => mappings.some(({ start, end }) => start <= at && at < end));
    const listed = entries.map(({ name, dynamicSection }) => ({ name, at: dynamicSection }));
    const known = new Set(listed.map(({ at }) => at));
    // Those of other namespaces (dlmopen). The list is empty before the dynamic linker has run, and it knows none of them.
    const others =
      entries.length === 0
        ? []
        : [...biases.keys()].flatMap((at) => (at === undefined || known.has(at) ? [] : [{ name: '', at }]));
    const libraries = [...listed, ...others].flatMap(({ name, at }) => {
      const file = fileAt(at);
      return file === undefined || file.isExecutable ? [] : [{ name, at, file }];
    });
    const mayLook = !entries.some(({ name }) => isOfEachProcess(name));
    const isFound = await Promise.all(
      libraries.map(
        async ({ name, at, file }) =>
          (read.has(at) && read.get(at) === keyOf(file) && file.change !== 'overwritten') ||
          (mayLook && root === '/' && isAbsolute(name) && (await isFileOfName(process, memory, name, file))),
      ),
    );
    const found = libraries.flatMap(({ name, at, file }, index) => {
      const key = keyOf(file);
      return isFound[index] && key !== undefined ? [{ name, at, file: key }] : [];
    });
    const foundAt = new Map(found.map((each) => [each.at, each.file]));
    const missed = libraries.filter((_, index) => !isFound[index]);

    const program = files.find(({ isExecutable }) => isExecutable);
    const findsProgram = root === '/' && program?.readableBy === 'name' && link === program.path;
    const findsLinker = !missed.some(
      ({ name }) => name === executable?.elf.interpreter || /\/lib(?:c|pthread)[.-]/.test(name),
    );
    const isReadable = !(findsProgram && findsLinker) && program?.readableBy !== undefined && executable !== undefined;
    return {
      findsProgram,
      program: isReadable ? { path: process.programFile, bias: executable.module.bias } : undefined,
      findsLinker,
      mayLook,
      found,
      findsAll: missed.length === 0,
      mustForget: libraries.some(({ at }) => read.has(at) && read.get(at) !== foundAt.get(at)),
      loaded: files.map(({ path }) => ({ path })),
      named: missed.flatMap(({ at, file }) => named(file, at) ?? []),
      lost: [...(program === undefined ? [] : [program]), ...missed.map(({ file }) => file)].flatMap(
        ({ path, readableBy, change }) =>
          readableBy === undefined && change !== undefined ? [{ kind: 'changed', path, change }] : [],
      ),
    };
  } finally {
    memory.close();
  }
}

/** Whether the name of a file means something else to each process that opens it. */
export function isOfEachProcess(name: string): boolean {
  return /^\/(?:proc\/(?:self|thread-self)|dev\/fd)\//.test(posix.normalize(name));
}
