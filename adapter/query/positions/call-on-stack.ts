/** The call of MPI that a thread is in, by its stack. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { Frame } from '../../stacks/frame';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary } from '../../expressions/frames';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import { calledFunction } from './called-function';
import { isAfterSystemCall } from '../system-calls/after-system-call';

/** `frames`: those of the call's own functions in the library, innermost first: in Fortran C's below the wrapper. */
export interface CallOnStack {
  call: string;
  frames: readonly Frame[];
}

/** What a thread does. library: it is in MPI, and which of its calls does not show. `caller`: the frame that has called it. */
export type Activity =
  ({ kind: 'call' } & CallOnStack) | { kind: 'library'; level: number; caller: Frame } | { kind: 'program' };

/**
 * Innermost first. A function of the program that a call has called, a handler or an operation, is the program too. Of calls
 * that the library makes of others the program's counts.
 */
export function activityOf(frames: readonly Frame[], code: ProcessCode): Activity {
  const caller = frames.findIndex((frame) => isOfProgram(frame, code));
  const inner = caller < 0 ? frames : frames.slice(0, caller);
  const outermost = inner.findLast((frame) => isEntry(frame, code));
  if (outermost !== undefined) {
    const call = entryName(outermost, code);
    const own = inner.filter((frame) => isEntry(frame, code) && entryName(frame, code) === call);
    return { kind: 'call', call, frames: own };
  }
  const calling = frames[caller];
  const called = inner.at(-1);
  if (calling !== undefined && called !== undefined && isOfMpi(called, code))
    return { kind: 'library', level: called.level, caller: calling };
  return { kind: 'program' };
}

/** The innermost frame of the program. */
export function callerOf(frames: readonly Frame[], code: ProcessCode): Frame | undefined {
  return frames.find((frame) => isOfProgram(frame, code));
}

/** The innermost frame of the program, and those that have called it, as far as they are the program's too. */
export function programFrames(frames: readonly Frame[], code: ProcessCode): readonly Frame[] {
  const first = frames.findIndex((frame) => isOfProgram(frame, code));
  if (first < 0) return [];
  const rest = frames.slice(first);
  const end = rest.findIndex((frame) => !isOfProgram(frame, code));
  return end < 0 ? rest : rest.slice(0, end);
}

/** A thread of a library's own, as those of OpenMP between parallel regions, by all its frames: no code of the program waits in it. */
export function isOfLibrary(frames: readonly Frame[], code: ProcessCode): boolean {
  return !frames.some((frame) => isOfProgram(frame, code));
}

/** The libraries in which threads of the program begin. */
export const cLibraries = /\/lib(c|pthread|stdc\+\+)[.-]/;

/** All of a thread's frames are in them: it was started by them, as for timers. */
export function isOfCLibrary(frames: readonly Frame[], code: ProcessCode): boolean {
  return frames.every((frame) => cLibraries.test(moduleOf(frame, code)?.path ?? ''));
}

/**
 * In a system call of OpenMP's runtime: at a barrier, say, which a thread leaves only for others of its team. undefined: it is in none. `call`:
 * what was called of the runtime, as far as the code tells. A thread that has just come may still spin there, and counts as running, as all do
 * on processors that are not decoded.
 */
export async function waitForTeam(
  frames: readonly Frame[],
  code: ProcessCode,
  image: ProcessImage,
): Promise<{ call: string | undefined } | undefined> {
  const [innermost] = frames;
  if (innermost?.address === undefined || !isOfOpenMp(innermost, code)) return undefined;
  if (!(await isAfterSystemCall(innermost.address, image))) return undefined;
  const caller = frames.find((frame) => !isOfOpenMp(frame, code));
  const called = caller?.address === undefined ? undefined : await calledFunction(image, caller.address);
  return { call: called?.name };
}

function isOfOpenMp(frame: Frame, code: ProcessCode): boolean {
  return /\/lib(gomp|i?omp5?)\.so/.test(moduleOf(frame, code)?.path ?? '');
}

/** The call of MPI that this frame is the entry of; undefined: it is none. */
export function callOfEntry(frame: Frame, code: ProcessCode): string | undefined {
  return isEntry(frame, code) ? entryName(frame, code) : undefined;
}

function isOfMpi(frame: Frame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  return module !== undefined && code.mpis.isMpi(module.path);
}

function isEntry(frame: Frame, code: ProcessCode): boolean {
  const { function: name = '' } = frame;
  return (isMpiCall(name) || code.mpis.isFinalizer(name)) && !isOfProgram(frame, code);
}

function entryName({ function: name = '' }: Frame, { mpis }: ProcessCode): string {
  return mpis.isFinalizer(name) ? 'MPI_Finalize' : nameOfCall(name);
}

/** The program's own, or a tool's between it and MPI, which may define MPI's functions too. */
function isOfProgram(frame: Frame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  // Where MPI is linked into the program, source tells what is the program's.
  if (module === undefined || !code.modules.some(({ path }) => code.mpis.holdsObjects(path)))
    return frame.line !== undefined;
  return !isSystemLibrary(module.path, code.mpis);
}
