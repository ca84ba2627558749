/** Whether a name is known outside the source file that has it. */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';

/** A static of some file that no file offers to all. A gdb without Python does not tell: false. */
export async function isStaticVariable(thread: GdbThread, name: string): Promise<boolean> {
  if (!/^\w+$/.test(name)) return false;
  const isStatic = `gdb.lookup_global_symbol('${name}') is None and gdb.lookup_static_symbol('${name}') is not None`;
  try {
    return (await thread.gdb.console(`python print(${isStatic})`, thread)).trim() === 'True';
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}
