/** Which frame an expression is evaluated in when the user names none. */
import { isFortranFile } from '../../plugin-api/fortran/file-names';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { maxFrames, type GdbFrame } from '../gdb/mi/stack-manipulation';
import type { RankThread } from '../job/rank';
import { moduleOf, type ProcessCode } from './code-modules';
import type { Language } from './expression';
import type { ThreadStack } from './thread-stack';

/** The user's choice: a frame's depth (0 is the innermost) or its function's name. */
export type FrameChoice = number | string;

/** One frame of one thread, at this stop. */
export interface ThreadFrame {
  thread: RankThread;
  frame: GdbFrame;
}

/** No such frame in this rank. `isCut`: the stack goes on beyond the frames that were searched. */
export class NoFrameError extends Error {
  constructor(choice: FrameChoice, isCut = false) {
    const what = typeof choice === 'number' ? `frame ${choice}` : `function ${choice}`;
    const where = isCut ? `among the ${maxFrames} innermost frames` : 'on the stack';
    super(`no ${what} ${where} of this rank`);
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
): Promise<GdbFrame[]> {
  if (typeof choice === 'number') {
    const chosen = await stack.frame(choice);
    if (chosen === undefined) throw new NoFrameError(choice);
    return [chosen];
  }
  const { frames, isCut } = await stack.frames();
  if (choice !== undefined) {
    const chosen = functionOn(frames, choice);
    if (chosen === undefined) throw new NoFrameError(choice, isCut);
    return [chosen];
  }
  const own = frames.filter((frame) => isUserCode(frame, code));
  const innermost = own[0] ?? frames[0];
  const withLocal: GdbFrame[] = [];
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

export function languageOf(frame: Pick<GdbFrame, 'file'>): Language {
  return isFortranFile(frame.file ?? '') ? 'fortran' : 'c';
}

/** `main` of a program in Fortran is made by the compiler: what is meant is the program, which it calls. */
function functionOn(frames: readonly GdbFrame[], name: string): GdbFrame | undefined {
  const isMain = /^main(__)?$/i.test(name);
  // gdb's own name for a program that is called main.
  const program = isMain ? frames.find((frame) => frame.function === 'MAIN__') : undefined;
  if (program !== undefined) return program;
  const wanted = (isMain ? 'main' : name).toLowerCase();
  const exact = frames.findIndex((frame) => frame.function?.toLowerCase() === wanted);
  const index = exact >= 0 ? exact : frames.findIndex((frame) => isLastPart(frame, wanted));
  const found = frames[index];
  return isMain && found !== undefined && languageOf(found) === 'fortran' ? (frames[index - 1] ?? found) : found;
}

/** `show` of `texts::show`: a procedure of a module, or a function in a namespace or class. */
function isLastPart({ function: fn }: GdbFrame, name: string): boolean {
  return fn?.toLowerCase().endsWith(`::${name}`) === true;
}

/** Has source, and is neither a system library nor MPI's, which may come with debug information of their own. */
export function isUserCode(frame: GdbFrame, code: ProcessCode): boolean {
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
