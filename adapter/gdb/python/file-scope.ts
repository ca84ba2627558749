/** Names that one source file has to itself, which gdb also finds from elsewhere: it looks through all files. */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { runPythonOnce } from './run-python';

/**
 * Statics, enumeration constants and types: `_mpidbg_scope.table` is the gdb.Symtab of the file that has this name to
 * itself, if gdb takes the name from one in this block; None for what a file offers to all.
 */
export const fileScopeScript = `
import gdb, re
class _mpidbg_scope:
    @staticmethod
    def table(name, block, isC):
        for domain in [gdb.SYMBOL_VAR_DOMAIN] + [gdb.SYMBOL_STRUCT_DOMAIN] * isC:
            try:
                symbol, isOfThis = gdb.lookup_symbol(name, block, domain)
            except gdb.error:
                return None
            if isOfThis:
                return None
            if symbol is not None:
                # A Fortran program uses the modules of its libraries.
                isModule = not isC and re.search(r'\\.f\\w*$', symbol.symtab.filename, re.I)
                return None if isModule or gdb.lookup_global_symbol(name) is not None else symbol.symtab
        return None
    @staticmethod
    def code(name, isC):
        table = _mpidbg_scope.table(name, gdb.selected_frame().block(), isC)
        return table and table.static_block().start
`;

/**
 * An address of the source file that has this name to itself, if the frame takes it from one: where the file's code begins.
 * A gdb without Python does not tell: undefined.
 */
export async function codeOfFileWith(
  name: string,
  { thread, frame, language }: { thread: GdbThread; frame: number; language: 'c' | 'fortran' },
): Promise<bigint | undefined> {
  if (!/^\w+$/.test(name)) return undefined;
  const isC = language === 'c';
  const asked = `_mpidbg_scope.code('${isC ? name : name.toLowerCase()}', ${isC ? 'True' : 'False'})`;
  try {
    await runPythonOnce(thread.gdb, fileScopeScript);
    const printed = (await thread.gdb.console(`python print(${asked})`, thread, frame)).trim();
    return /^\d+$/.test(printed) ? BigInt(printed) : undefined;
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
