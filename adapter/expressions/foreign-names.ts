/** Names that gdb finds in a library the user does not know: a static `x` of the C library is not the program's. */
import { addressOf } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { stackListNames } from '../gdb/mi/stack-manipulation';
import { moduleOf, type ProcessCode } from './code-modules';
import { isForeignLibrary } from './frames';
import type { EvaluationFrame } from './evaluation-frame';

/** A name of the expression, and the system's library that gdb takes it from. */
export interface ForeignName {
  name: string;
  /** "libc.so.6" */
  library: string;
}

/** The first of the names that is neither a local of the frame nor of the program and its own libraries. */
export async function foreignName(
  { thread, frame }: EvaluationFrame,
  names: readonly string[],
  code: ProcessCode,
): Promise<ForeignName | undefined> {
  const locals = new Set(await stackListNames(thread, frame));
  for (const name of names.filter((each) => !locals.has(each))) {
    const address = await addressOfName(thread, frame, name);
    const module = moduleOf({ address }, code);
    if (module !== undefined && !module.isExecutable && isForeignLibrary(module.path, code.mpis))
      return { name, library: module.path.slice(module.path.lastIndexOf('/') + 1) };
  }
  return undefined;
}

async function addressOfName(
  thread: EvaluationFrame['thread'],
  frame: number,
  name: string,
): Promise<bigint | undefined> {
  try {
    return await addressOf(thread, frame, `&${name}`);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
