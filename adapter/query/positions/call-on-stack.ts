/** The call of MPI that a thread is in, by its stack. */
import type { GdbFrame } from '../../gdb/mi/stack-manipulation';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary } from '../../expressions/frames';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';

/** `frames`: those of the call's own functions in the library, innermost first: in Fortran C's below the wrapper. */
export interface CallOnStack {
  call: string;
  frames: readonly GdbFrame[];
}

/**
 * Innermost first. undefined: the thread runs the program's code, which a call may have called, as a handler or an
 * operation of the program. Of calls that the library makes of others the program's counts.
 */
export function callOnStack(frames: readonly GdbFrame[], code: ProcessCode): CallOnStack | undefined {
  const innermost = frames.findIndex((frame) => isEntry(frame, code) || isOfProgram(frame, code));
  const first = frames[innermost];
  if (first === undefined || !isEntry(first, code)) return undefined;
  let outermost = innermost;
  for (let i = innermost; i < frames.length && !isOfProgram(frames[i]!, code); i++)
    if (isEntry(frames[i]!, code)) outermost = i;
  const call = entryName(frames[outermost]!, code);
  const own = frames.slice(innermost, outermost + 1).filter((frame) => isEntry(frame, code));
  return { call, frames: own.filter((frame) => entryName(frame, code) === call) };
}

function isEntry(frame: GdbFrame, code: ProcessCode): boolean {
  const { function: name = '' } = frame;
  return (isMpiCall(name) || code.mpis.isFinalizer(name)) && !isOfProgram(frame, code);
}

function entryName({ function: name = '' }: GdbFrame, { mpis }: ProcessCode): string {
  return mpis.isFinalizer(name) ? 'MPI_Finalize' : nameOfCall(name);
}

/** The program's own, or a tool's between it and MPI, which may define MPI's functions too. */
function isOfProgram(frame: GdbFrame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  // Where MPI is linked into the program, source tells what is the program's.
  if (module === undefined || !code.modules.some(({ path }) => code.mpis.holdsObjects(path)))
    return frame.line !== undefined;
  return !isSystemLibrary(module.path, code.mpis);
}
