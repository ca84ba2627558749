/**
 * sizeof in 64 bits: gdb (13 to 18) gives it as an int, so that an array of 3 GB has a negative size. A function of gdb's
 * Python takes the size from the type of the value, which is not read.
 */
import type { MiCommands } from '../mi/context';
import { NoPythonError, runPythonOnce } from './stop-script';

const script = (name: string, hex: string): string => `
import gdb
class _MpidbgSizeof(gdb.Function):
    def __init__(self):
        super().__init__('${name}')
    def invoke(self):
        operand = bytes.fromhex('${hex}').decode()
        for source in (operand, '*(%s *)0' % operand):
            try:
                type = gdb.parse_and_eval(source).type
            except gdb.error:
                continue
            if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                type = type.target()
            # Of what gdb does not know, it has its own answer.
            if type.sizeof > 0:
                return type.sizeof
        return gdb.parse_and_eval('sizeof(%s)' % operand)
_MpidbgSizeof()
`;

/** The size of a variable, or of a type, as gdb reads it. A gdb without Python has its own size only. */
export async function wideSizeOf(gdb: MiCommands, operand: string): Promise<string> {
  const hex = Buffer.from(operand).toString('hex');
  const name = `_mpidbg_sizeof_${hex}`;
  try {
    await runPythonOnce(gdb, script(name, hex));
  } catch (error) {
    if (error instanceof NoPythonError) return `sizeof(${operand})`;
    throw error;
  }
  return `$${name}()`;
}
