/**
 * Code that *Step Into* passes over: gdb's own skips, and the functions of the program that are called back from there, into which
 * the step goes all the same.
 */
import { globSource } from '../../plugin-api/mpi/library-code';
import type { GdbThread, GdbThreadGroup, MiCommands } from './mi/context';
import { callbackScript } from './python/callback-script';
import { NoPythonError, runPython, runPythonOnce } from './python/run-python';

/** "**" stands for at most so many folders: gdb's own globs keep to one folder. */
const maxFolders = 9;

const withSkips = new WeakSet<MiCommands>();

/** `globs`: of files, which have a "/" or a suffix, and of functions. Rejects with GdbError. */
export async function skipCode(gdb: MiCommands, globs: readonly string[]): Promise<void> {
  if (globs.length === 0) return;
  const files = globs.filter(isOfFile);
  const functions = globs.filter((glob) => !isOfFile(glob)).map(functionSource);
  const commands = [
    ...files
      .filter(isOfSource)
      .flatMap(withinFolders)
      .map((glob) => `skip -gfi ${word(glob)}`),
    ...functions.map((source) => `skip -rfu ${word(source)}`),
  ];
  try {
    await runPythonOnce(gdb, callbackScript);
    const sources = { commands, files: files.map(fileSource), functions };
    await runPython(gdb, `_mpidbg_step.skip(json.loads(${JSON.stringify(JSON.stringify(sources))}))`);
    withSkips.add(gdb);
  } catch (error) {
    if (!(error instanceof NoPythonError)) throw error;
    // Callbacks are passed over, too.
    for (const command of commands) await gdb.console(command);
  }
}

/** Before this thread steps into what its line calls. Rejects with GdbError. */
export async function expectCallbacks(thread: GdbThread): Promise<void> {
  if (withSkips.has(thread.gdb)) await thread.gdb.console(`python _mpidbg_step.begin(${thread.gdbThread})`, thread);
}

/** After the step, in whatever way it ended. Rejects with GdbError. */
export async function forgetCallbacks({ gdb, threadGroup }: GdbThreadGroup): Promise<void> {
  if (withSkips.has(gdb)) await gdb.console(`python _mpidbg_step.end(${threadGroup.slice(1)})`);
}

/** Switches the skips of the whole gdb. Rejects with GdbError. */
export async function enableSkips(gdb: MiCommands, enabled: boolean): Promise<void> {
  await gdb.console(`skip ${enabled ? 'enable' : 'disable'}`);
}

function fileSource(glob: string): string {
  const isAnywhere = !glob.startsWith('/') && !glob.startsWith('**');
  return `${isAnywhere ? '(?:.*/)?' : ''}${globSource(glob)}$`;
}

/** "std::*" stands for all of it, with arguments of templates or without. */
function functionSource(glob: string): string {
  const source = glob.replace(/[*?]|[.+^${}()|[\]\\]/g, (found) => ({ '*': '.*', '?': '.' })[found] ?? `\\${found}`);
  return `^${source}(\\(.*)?$`;
}

/** As gdb takes words apart. */
function word(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** gdb has no skips for libraries: the script has. */
function isOfSource(glob: string): boolean {
  return !glob.includes('.so');
}

function isOfFile(glob: string): boolean {
  return glob.includes('/') || /\.\w{1,4}$/.test(glob);
}

/** gdb compares a glob that begins with a name with as many folders at the end of a path. */
function withinFolders(glob: string): string[] {
  const from = glob.replace(/^\*\*\//, '');
  const [head = '', ...rest] = from.split('**');
  const tail = rest.join('**').replace(/^\//, '');
  if (rest.length === 0) return [from];
  return Array.from(
    { length: maxFolders },
    (_, folders) => `${head}${'*/'.repeat(folders)}${tail === '' ? '*' : tail}`,
  );
}
