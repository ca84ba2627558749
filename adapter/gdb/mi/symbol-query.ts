/** GDB/MI Symbol Query, and the files that gdb knows. */
import { GdbError } from './mi-connection';
import { withoutLibraryRoot } from './library-root';
import { select, type GdbThread } from './context';
import { optionalText, quote, text, texts, tuple, tuples } from './mi-values';

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

/** Variables of the program and its libraries whose whole names match, as `geometry::dx`: at most `limit` of them. Rejects with GdbError. */
export function symbolInfoVariables(thread: GdbThread, pattern: string, limit: number): Promise<string[]> {
  return symbolInfo(thread, 'variables', pattern, limit);
}

/** The same of types. */
export function symbolInfoTypes(thread: GdbThread, pattern: string, limit: number): Promise<string[]> {
  return symbolInfo(thread, 'types', pattern, limit);
}

async function symbolInfo(
  thread: GdbThread,
  what: 'variables' | 'types',
  pattern: string,
  limit: number,
): Promise<string[]> {
  const which = `--name ${quote(pattern)} --max-results ${limit}`;
  const answer = await thread.gdb.command(`-symbol-info-${what} ${select(thread)} ${which}`);
  return tuples(tuple(answer, 'symbols'), 'debug').flatMap((file) =>
    tuples(file, 'symbols').map((symbol) => text(symbol, 'name')),
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

/** What gdb would complete a command of its own language with: whole commands. Rejects with GdbError. */
export async function completeCommand(thread: GdbThread, frame: number, command: string): Promise<readonly string[]> {
  return texts(await thread.gdb.command(`-complete ${select(thread, frame)} ${quote(command)}`), 'matches');
}

/** How an expression can be completed: whole expressions. */
export async function completeExpression(
  thread: GdbThread,
  frame: number,
  expression: string,
): Promise<readonly string[]> {
  const matches = await completeCommand(thread, frame, `${evaluate}${expression}`);
  return matches.map((match) => match.slice(evaluate.length));
}

const evaluate = 'print ';

/** The type of an expression, typedefs resolved: "type = …" and a class's members. Rejects with GdbError. */
export async function ptype(thread: GdbThread, frame: number, expression: string): Promise<string> {
  return thread.gdb.console(`ptype ${expression}`, thread, frame);
}

/** What the name of a type stands for, one typedef further; the name itself where it is none. Rejects with GdbError. */
export async function whatisType(thread: GdbThread, type: string): Promise<string> {
  // gdb 13 crashes when it prints a type of C without a name in Fortran.
  return typeIn(await thread.gdb.console(`with language c++ -- whatis ${type}`, thread)) ?? type;
}

const arithmetic =
  /^(?:(?:const|volatile) )*(?:(?:(?:unsigned|signed|long|short|char|int|float|double|__int128)\b ?)+|(?:integer|real|complex)\(kind=\d+\))$/;

/** Whether the type is an enumeration, also by a typedef. */
export async function isEnumeration(thread: GdbThread, type: string): Promise<boolean> {
  if (arithmetic.test(type)) return false;
  try {
    // gdb 13 dies of writing a type of C without a name in Fortran.
    const printed = await thread.gdb.console(`with language c++ -- ptype ${type}`, thread);
    return /^type = (?:(?:const|volatile) )*enum\b/.test(printed);
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

/** Whether gdb takes the name for that of a struct, union, enum or derived type. Rejects with GdbError. */
export async function isNameOfType(thread: GdbThread, frame: number, name: string): Promise<boolean> {
  const type = typeIn(await thread.gdb.console(`whatis ${name}`, thread, frame));
  return /^(?:Type|struct|union|enum) (\w+)\s*$/.exec(type ?? '')?.[1]?.toLowerCase() === name.toLowerCase();
}

function typeIn(printed: string): string | undefined {
  return /^type = (.*)$/m.exec(printed)?.[1];
}

/** Where the code of the line begins; undefined: it has none. Rejects with GdbError. */
export async function addressOfLine(thread: GdbThread, file: string, line: number): Promise<bigint | undefined> {
  const printed = await thread.gdb.console(`info line ${file}:${line}`, thread);
  const address = /address (0x[0-9a-f]+)/.exec(printed)?.[1];
  return address === undefined ? undefined : BigInt(address);
}
