/** GDB/MI Symbol Query, and the files that gdb knows. */
import { GdbError } from './mi-connection';
import { withoutLibraryRoot } from './library-root';
import { select, type GdbThread } from './context';
import { optionalText, quote, text, texts, tuples } from './mi-values';

/** Variables of Fortran modules, by module, each with its source. */
export async function symbolInfoModuleVariables(
  thread: GdbThread,
): Promise<{ module: string; name: string; file: string }[]> {
  const answer = await thread.gdb.command(`-symbol-info-module-variables ${select(thread)}`);
  return tuples(answer, 'symbols').flatMap((module) =>
    tuples(module, 'files').flatMap((file) =>
      tuples(file, 'symbols').map((symbol) => ({
        module: text(module, 'module'),
        name: text(symbol, 'name'),
        file: optionalText(file, 'fullname') ?? text(file, 'filename'),
      })),
    ),
  );
}

/** Absolute paths of the sources that debug information tells of. */
export async function fileListExecSourceFiles(thread: GdbThread): Promise<string[]> {
  const answer = await thread.gdb.command(`-file-list-exec-source-files ${select(thread)}`);
  return tuples(answer, 'files').flatMap((file) => optionalText(file, 'fullname') ?? []);
}

export interface SharedLibrary {
  path: string;
  hasSymbols: boolean;
  /** "0x7f…" */
  from: string | undefined;
  to: string | undefined;
}

export async function fileListSharedLibraries(thread: GdbThread): Promise<SharedLibrary[]> {
  const answer = await thread.gdb.command(`-file-list-shared-libraries ${select(thread)}`);
  return tuples(answer, 'shared-libraries').map((library) => {
    const [range] = tuples(library, 'ranges');
    return {
      path: withoutLibraryRoot(text(library, 'host-name')),
      hasSymbols: library['symbols-loaded'] === '1',
      from: range === undefined ? undefined : optionalText(range, 'from'),
      to: range === undefined ? undefined : optionalText(range, 'to'),
    };
  });
}

/** False for a program that was compiled without -g, or stripped. */
export async function knowsLinesOfMain(thread: GdbThread): Promise<boolean> {
  try {
    return (await thread.gdb.console('info line main', thread)).startsWith('Line ');
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

/** What gdb would complete the command with: whole commands. Rejects with GdbError. */
export async function complete(thread: GdbThread, frame: number, command: string): Promise<readonly string[]> {
  return texts(await thread.gdb.command(`-complete ${select(thread, frame)} ${quote(command)}`), 'matches');
}

/** The type of an expression, typedefs resolved: "type = …" and a class's members. Rejects with GdbError. */
export async function ptype(thread: GdbThread, frame: number, expression: string): Promise<string> {
  // gdb selects a frame for the duration of one command.
  return thread.gdb.console(`frame apply level ${frame} -q ptype ${expression}`, thread);
}
