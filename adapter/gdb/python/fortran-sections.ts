/**
 * gdb 13 crashes when a library is unloaded, as many are in MPI_Finalize, while there is a variable object whose
 * expression has a range with a part left out, `a(1:4)` or `a(:)`: to see whether the expression uses the library, it
 * follows the part that is not there. In a function of gdb's Python the range is a text, and the value is the same,
 * with its address.
 */
import type { MiCommands } from '../mi/context';
import { NoPythonError, runPythonOnce } from './run-python';

const script = (name: string, hex: string): string => `
import gdb
class _MpidbgSection(gdb.Function):
    def __init__(self):
        super().__init__('${name}')
    def invoke(self):
        try:
            return gdb.parse_and_eval(bytes.fromhex('${hex}').decode())
        except gdb.error as error:
            raise gdb.GdbError(str(error))
_MpidbgSection()
`;

/** An expression of Fortran, as a variable object may keep it for long. A gdb without Python has no other. */
export async function keepable(gdb: MiCommands, expression: string): Promise<string> {
  if (!/\([^)]*:/.test(expression)) return expression;
  const hex = Buffer.from(expression).toString('hex');
  const name = `_mpidbg_section_${hex}`;
  try {
    await runPythonOnce(gdb, script(name, hex));
  } catch (error) {
    if (error instanceof NoPythonError) return expression;
    throw error;
  }
  return `$${name}()`;
}
