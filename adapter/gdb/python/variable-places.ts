/** Where the variables of a program lie, and what their pointers lead to: by their types and gdb's view of the frames. */
import type { GdbThread } from '../mi/context';
import { decoded, prepareWalk, walk, type FloatRoot, type Places } from './float-places';
import { runPythonOnce } from './run-python';
import { variableWalkScript } from './variable-walk-script';

/** A variable. `address` and `size`, in bytes: of its own memory, as decimal numbers. */
export interface VariableRoot extends FloatRoot {
  address?: string;
  size?: number;
  /** Instead of a variable: the stack pointer in the innermost frame that was asked for. */
  stack?: string;
}

/** The format of a place is the size of each of its elements in bytes. */
export type VariablePlaces = Places<VariableRoot, number>;

/**
 * Arguments and local variables of the thread's frames at these depths. `inner`: the depth of the frame whose stack pointer is
 * wanted. Rejects with NoPythonError, GdbError.
 */
export function variablesOfFrames(
  thread: GdbThread,
  levels: readonly number[],
  inner: number,
): Promise<VariablePlaces> {
  return ask(thread, `of_stack(${JSON.stringify(levels)}, ${inner})`);
}

/** Global variables of these files of the process. Rejects with NoPythonError, GdbError. */
export function variablesOfFiles(thread: GdbThread, files: readonly string[]): Promise<VariablePlaces> {
  return ask(thread, `of_globals(${decoded(files)})`);
}

async function ask(thread: GdbThread, question: string): Promise<VariablePlaces> {
  await prepareWalk(thread.gdb);
  await runPythonOnce(thread.gdb, variableWalkScript);
  return walk(thread, 0, `_mpidbg_places.tell(lambda walk: walk.${question})`);
}
