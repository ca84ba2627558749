/** GDB/MI File Commands, and what MI has no command for: loading the symbols of shared libraries. */
import { select, type GdbThread, type GdbThreadGroup, type MiCommands } from './context';
import { optionalText, quote, text, tuples } from './mi-values';

/** A source of the program or its libraries. */
export interface SourceFile {
  /** As the compiler was given it: absolute, or below the folder where it ran. */
  readonly given: string;
  /** Absolute. */
  readonly path: string;
}

export async function listSourceFiles(thread: GdbThread): Promise<SourceFile[]> {
  const answer = await thread.gdb.command(`-file-list-exec-source-files ${select(thread)}`);
  return tuples(answer, 'files').flatMap((file) => {
    const path = optionalText(file, 'fullname');
    return path === undefined ? [] : { given: optionalText(file, 'file') ?? path, path };
  });
}

/** Loads the symbols of the shared libraries that the thread's process has mapped now; `names`: as the dynamic linker has them. */
export async function sharedLibrary(thread: GdbThread, names: 'all' | readonly string[] = 'all'): Promise<void> {
  if (names === 'all') await thread.gdb.console('sharedlibrary', thread);
  else if (names.length > 0)
    await thread.gdb.console(`sharedlibrary ^\\(target:\\)\\?\\(${names.map(exactly).join('\\|')}\\)$`, thread);
}

/** gdb opens the libraries that it does not know yet. */
export async function findSharedLibraries(thread: GdbThread): Promise<void> {
  await thread.gdb.command(`-file-list-shared-libraries ${select(thread)} ^$`);
}

/** As a regular expression of gdb. */
function exactly(name: string): string {
  return name.replace(/[^\w/-]/g, (character) => (character === '^' ? '\\^' : `[${character}]`));
}

/**
 * A file of symbols, besides those that gdb finds, and how far from its own addresses it lies. The path is taken in the mount
 * namespace of the process; gdb keeps to it, and follows no link of /proc to a name that may mean another file.
 */
export async function addSymbolFile(thread: GdbThread, path: string, bias: bigint): Promise<void> {
  await thread.gdb.console(`add-symbol-file ${fileArgument(`target:${path}`)} -o 0x${bias.toString(16)}`, thread);
}

/** Forgets the one that has this address. */
export async function removeSymbolFile(thread: GdbThread, address: bigint): Promise<void> {
  await thread.gdb.console(`remove-symbol-file -a 0x${address.toString(16)}`, thread);
}

/** The program's symbols before gdb takes its process; see addSymbolFile. */
export async function symbolFile(group: GdbThreadGroup, path: string, bias: bigint): Promise<void> {
  await group.gdb.console(`symbol-file ${fileArgument(`target:${path}`)} -o 0x${bias.toString(16)}`, group);
}

/** The folder below which gdb looks for the files of a process. */
export async function sysroot(gdb: MiCommands): Promise<string> {
  return text(await gdb.command('-gdb-show sysroot'), 'value');
}

/** The folder that gdb is in. */
export async function environmentPwd(gdb: MiCommands): Promise<string> {
  return text(await gdb.command('-environment-pwd'), 'cwd');
}

export async function environmentCd(gdb: MiCommands, folder: string): Promise<void> {
  await gdb.command(`-environment-cd ${quote(folder)}`);
}

/** For the whole gdb; the libraries of this process, and of no other, are looked for again. */
export async function setSysroot(at: GdbThread | GdbThreadGroup, folder: string): Promise<void> {
  await at.gdb.console(`set sysroot ${folder}`, at);
}

/** Sources below one folder, as debug information names it, are looked for below another one. */
export async function substitutePath(gdb: MiCommands, from: string, to: string): Promise<void> {
  await gdb.console(`set substitute-path ${fileArgument(from)} ${fileArgument(to)}`);
}

/** As gdb takes words apart. */
function fileArgument(path: string): string {
  return /\s|["'\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}

/** The program of an inferior: what is executed, and its symbols. */
export async function fileExecAndSymbols(group: GdbThreadGroup, program: string): Promise<void> {
  await group.gdb.command(`-file-exec-and-symbols ${select(group)} ${quote(program)}`);
}
