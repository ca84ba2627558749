/** The libraries that the dynamic linker will load for a program, found by its rules, without running anything. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ElfError } from './byte-source';
import { withFile, type OpenFile } from './distant-bytes';
import { elfOf } from './elf-cache';
import type { ElfFile } from './elf-file';
import { readLdSoCache } from './ld-so-cache';

export interface LinkedLibrary {
  /** As it was found: symbolic links are not resolved. */
  path: string;
  elf: ElfFile;
}

export interface LinkedLibraries {
  /** In load order: breadth first. */
  found: LinkedLibrary[];
  missing: { name: string; neededBy: string }[];
}

/** Who asks for a library, and the DT_RPATH folders of it and of those that asked for it. */
interface Loader {
  path: string;
  elf: ElfFile;
  rpath: string[];
}

/** By e_machine: the name of its folder under lib, on systems that have several. */
const MULTIARCH: Record<number, string> = { 62: 'x86_64-linux-gnu', 183: 'aarch64-linux-gnu' };

/** What the dynamic linker of a process goes by, beside the files. */
export interface LinkerSettings {
  /** Opens files of the machine, or of the root directory, that the process has. */
  open: OpenFile;
  /** LD_LIBRARY_PATH. */
  libraryPath: string | undefined;
  /** What relative names mean; undefined where it is not known: there they lead to nothing. */
  cwd: string | undefined;
}

/** `program`: the path of its file behind all symbolic links. */
export async function findLinkedLibraries(
  program: string,
  elf: ElfFile,
  { open, libraryPath = '', cwd }: LinkerSettings,
): Promise<LinkedLibraries> {
  const result: LinkedLibraries = { found: [], missing: [] };
  const absolute = (name: string): string[] =>
    cwd === undefined && !isAbsolute(name) ? [] : [resolve(cwd ?? '/', name)];
  const environment = libraryPath === '' ? [] : libraryPath.split(/[:;]/).flatMap(absolute);
  const cache = await readLdSoCache(open);
  const seen = new Set<string>();
  // $ORIGIN is the folder of the file itself for a program, and for a library the folder through which it was found.
  const queue: Loader[] = [withRpath(program, elf, [])];
  for (let loader = queue.shift(); loader !== undefined; loader = queue.shift()) {
    for (const name of loader.elf.dynamic?.needed ?? []) {
      if (seen.has(name)) continue;
      seen.add(name);
      const candidates = name.includes('/')
        ? absolute(name)
        : [...pathsOf(name, loader, environment), ...(cache.get(name) ?? []), ...defaults(name, elf)];
      const library = await firstFitting(candidates, elf, open);
      if (library === undefined) {
        result.missing.push({ name, neededBy: loader.path });
        continue;
      }
      result.found.push(library);
      queue.push(withRpath(library.path, library.elf, loader.rpath));
    }
  }
  return result;
}

function withRpath(path: string, elf: ElfFile, inherited: string[]): Loader {
  // DT_RUNPATH switches the object's own DT_RPATH off.
  const own = elf.dynamic?.runpath === undefined ? expand(elf.dynamic?.rpath, path, elf) : [];
  return { path, elf, rpath: [...own, ...inherited] };
}

function pathsOf(name: string, loader: Loader, environment: readonly string[]): string[] {
  const { path, elf, rpath } = loader;
  const runpath = expand(elf.dynamic?.runpath, path, elf);
  // An object with DT_RUNPATH ignores the DT_RPATH of those that loaded it, too.
  const before = elf.dynamic?.runpath === undefined ? rpath : [];
  return [...before, ...environment, ...runpath].map((folder) => join(folder, name));
}

function defaults(name: string, { machine }: ElfFile): string[] {
  const multiarch = MULTIARCH[machine];
  const folders = multiarch === undefined ? [] : [`/lib/${multiarch}`, `/usr/lib/${multiarch}`];
  return [...folders, '/lib64', '/usr/lib64', '/lib', '/usr/lib'].map((folder) => join(folder, name));
}

function expand(folders: string | undefined, path: string, { machine }: ElfFile): string[] {
  if (folders === undefined) return [];
  const origin = dirname(path);
  return folders.split(':').flatMap((folder) => {
    const placed = folder.replace(/\$(ORIGIN\b|\{ORIGIN\})/g, () => origin);
    // What $LIB is depends on how glibc was built.
    const libs = ['lib64', `lib/${MULTIARCH[machine] ?? ''}`, 'lib'];
    return /\$(LIB\b|\{LIB\})/.test(placed)
      ? libs.map((lib) => placed.replace(/\$(LIB\b|\{LIB\})/g, lib))
      : placed === ''
        ? []
        : [placed];
  });
}

/** As the dynamic linker does, passes over files that are missing, no ELF file, or for another machine. */
async function firstFitting(
  candidates: readonly string[],
  program: ElfFile,
  open: OpenFile,
): Promise<LinkedLibrary | undefined> {
  for (const path of candidates) {
    try {
      const file = await withFile(path, open, elfOf);
      if (file.machine === program.machine) return { path, elf: file };
    } catch (error) {
      if (!(error instanceof ElfError) && !(error instanceof Error && 'code' in error)) throw error;
    }
  }
  return undefined;
}
