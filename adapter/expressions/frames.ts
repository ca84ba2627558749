/** Which frame an expression is evaluated in when the user names none. */
import { isFortranFile } from '../../plugin-api/fortran/file-names';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { maxFrames, type Frame } from '../stacks/frame';
import type { RankThread } from '../job/rank';
import { moduleOf, type ProcessCode } from './code-modules';
import type { Language } from './expression';
import type { ThreadStack } from './thread-stack';

/** The user's choice: a frame's depth (0 is the innermost) or its function's name. */
export type FrameChoice = number | string;

/** One frame of one thread, at this stop. */
export interface ThreadFrame {
  thread: RankThread;
  frame: Frame;
}

/**
 * No such frame in this rank, or several functions with this name. `isCut`: the stack goes on beyond the frames that were
 * searched. `meant`: the functions that the choice may mean.
 */
export class NoFrameError extends Error {
  constructor(choice: FrameChoice, isCut = false, meant: readonly string[] = []) {
    const what = typeof choice === 'number' ? `frame ${choice}` : `function ${choice}`;
    const where = isCut ? `among the ${maxFrames} innermost frames` : 'on the stack';
    const ambiguous = `several functions ${where} of this rank are called ${choice}: ${meant.join(', ')}; choose one`;
    super(meant.length > 0 ? ambiguous : `no ${what} ${where} of this rank`);
    this.name = 'NoFrameError';
  }
}

/**
 * The frames to try, best first. Without a choice: the innermost frame of the user's code that has one of the names as
 * a local, then its callers that have one, then the innermost frame of the user's code, for globals, then callers in
 * Fortran, where USE makes names known.
 */
export async function framesToTry(
  stack: ThreadStack,
  code: ProcessCode,
  names: readonly string[],
  choice?: FrameChoice,
): Promise<Frame[]> {
  if (typeof choice === 'number') {
    const chosen = await stack.frame(choice);
    if (chosen === undefined) throw new NoFrameError(choice);
    return [chosen];
  }
  const { frames, isCut } = await stack.frames();
  if (choice !== undefined) {
    const named = functionsOn(frames, choice);
    const [chosen] = named;
    if (chosen === undefined) throw new NoFrameError(choice, isCut);
    const functions = new Set(named.map(({ function: name = '' }) => name));
    if (functions.size > 1) throw new NoFrameError(choice, isCut, [...functions]);
    return [chosen];
  }
  const own = frames.filter((frame) => isUserCode(frame, code));
  const innermost = own[0] ?? frames[0];
  const withLocal: Frame[] = [];
  if (names.length > 0) {
    for (const frame of own) {
      const locals = await stack.names(frame);
      if (locals.some((name) => names.includes(name) || names.includes(name.toUpperCase()))) withLocal.push(frame);
    }
  }
  const inFortran = own.filter((frame) => languageOf(frame) === 'fortran').slice(0, maxFortranFrames);
  return [...new Set([...withLocal, ...(innermost === undefined ? [] : [innermost]), ...inFortran])];
}

/** Callers whose modules are looked into: a name that is nowhere is refused soon. */
const maxFortranFrames = 8;

export function languageOf(frame: Pick<Frame, 'file'>): Language {
  return isFortranFile(frame.file ?? '') ? 'fortran' : 'c';
}

/** Innermost first. `main` of a program in Fortran is made by the compiler: what is meant is the program, which it calls. */
function functionsOn(frames: readonly Frame[], name: string): readonly Frame[] {
  const isMain = /^main(__)?$/i.test(name);
  // gdb's own name for a program that is called main.
  const program = isMain ? frames.find((frame) => frame.function === 'MAIN__') : undefined;
  if (program !== undefined) return [program];
  const found = framesNamed(frames, isMain ? 'main' : name);
  const [main] = found;
  if (!isMain || main === undefined || languageOf(main) !== 'fortran') return found;
  return [frames[frames.indexOf(main) - 1] ?? main];
}

/** The exact name wins, then one in other letters, as Fortran may be written, then the end of a longer name. */
function framesNamed(frames: readonly Frame[], name: string): readonly Frame[] {
  const asWritten = (text: string): string => text;
  const inSmallLetters = (text: string): string => text.toLowerCase();
  const isWhole = (fn: string, wanted: string): boolean => fn === wanted;
  const rules = [isWhole, isLastPart].flatMap((isNamed) =>
    [asWritten, inSmallLetters].map(
      (letters) =>
        ({ function: fn = '' }: Frame) =>
          isNamed(letters(fn), letters(name)),
    ),
  );
  const rule = rules.find((isMeant) => frames.some(isMeant));
  return rule === undefined ? [] : frames.filter(rule);
}

/**
 * `show` of `texts::show`, `Halo<int>::show` and `show<int>`: a procedure of a module, or a function in a namespace or class,
 * whatever its template arguments.
 */
function isLastPart(fn: string, name: string): boolean {
  return [fn, withoutArguments(fn)].some((whole) => whole === name || whole.endsWith(`::${name}`));
}

/** Without template arguments and parameters, however deep: `Halo<std::pair<int, int>>::show(int)` as `Halo::show`. */
function withoutArguments(fn: string): string {
  let depth = 0;
  let kept = '';
  for (const character of fn) {
    if ('<('.includes(character)) depth++;
    else if ('>)'.includes(character)) depth--;
    else if (depth === 0) kept += character;
  }
  return kept;
}

/** Has source, and is neither a system library nor MPI's, which may come with debug information of their own. */
export function isUserCode(frame: Frame, code: ProcessCode): boolean {
  if (frame.line === undefined || frame.address === undefined) return false;
  const module = moduleOf(frame, code);
  return module === undefined || module.isExecutable || !isSystemLibrary(module.path, code.mpis);
}

/** The C library's and the compilers': libc.so.6, libc-2.31.so; not libcfd.so. */
const systemLibraries =
  /\/(ld-linux[\w-]*|lib(c|m|mvec|pthread|dl|rt|stdc\+\+|gcc_s|gfortran|quadmath|gomp|i?omp5?))(-[\d.]+)?\.so/;

/** Libraries in which a user's variables are not to be looked for: the C library, the compilers', MPI and below it. */
export function isSystemLibrary(path: string, mpis: KnownMpis): boolean {
  return systemLibraries.test(path) || mpis.ownerOf(path) !== undefined;
}

/** Those of them that are not MPI's own, whose variables are no accident. */
export function isForeignLibrary(path: string, mpis: KnownMpis): boolean {
  return isSystemLibrary(path, mpis) && !mpis.isMpi(path);
}
