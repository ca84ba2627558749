/** The program's part of a stack: without what calls it, and without what lies below the libraries that it calls. */
import type { Frame } from '../../stacks/frame';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary, languageOf } from '../../expressions/frames';
import { isMpiCall } from './mpi-calls';

/** `frames`: outermost first. The last one may be the call of a library, whose source is left out. */
export function programFrames<F extends Frame>(frames: readonly F[], code: ProcessCode): F[] {
  const isOwn = (frame: Frame): boolean => isOwnCode(frame, code);
  const inner = frames.slice(firstOfProgram(frames, isOwn));
  const call = inner.findIndex((frame) => isMpiCall(frame.function));
  const own = inner.findLastIndex(isOwn);
  // A thread of nobody who is known is shown whole.
  const last = call >= 0 ? call : own < 0 ? inner.length : own + 1;
  return inner.slice(0, last + 1).map((frame) => (isOwn(frame) ? frame : withoutSource(frame)));
}

/** A function of the library that runs in place of MPI_Finalize has the name that the program has called. */
export function withCallName<F extends Frame>(frame: F, code: ProcessCode): F {
  const { function: name } = frame;
  const isFinalizer = name !== undefined && !isMpiCall(name) && code.mpis.isFinalizer(name);
  return isFinalizer && !isOwnCode(frame, code) ? { ...frame, function: 'MPI_Finalize' } : frame;
}

/** Where nothing tells what is mapped there, source does. */
export function isOwnCode(frame: Frame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  if (module === undefined) return frame.line !== undefined;
  return module.isExecutable || !isSystemLibrary(module.path, code.mpis);
}

function firstOfProgram(frames: readonly Frame[], isOwn: (frame: Frame) => boolean): number {
  const main = frames.findIndex((frame) => frame.function === 'main');
  const found = frames[main];
  // That of a program in Fortran is made by the compiler, and calls the program.
  if (found !== undefined) return languageOf(found) === 'fortran' && main + 1 < frames.length ? main + 1 : main;
  // _start belongs to the program's file; the C library calls main, and the functions of threads.
  const [first, second] = frames;
  const isStart =
    first !== undefined && second !== undefined && isOwn(first) && /^__libc_start/.test(second.function ?? '');
  const library = frames.findIndex((frame, index) => (index > 0 || !isStart) && isOwn(frame));
  return Math.max(0, library);
}

function withoutSource<F extends Frame>(frame: F): F {
  return { ...frame, file: undefined, fullName: undefined, line: undefined };
}
