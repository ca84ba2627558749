/** Whether a command of the user would call a variable: gdb 13 ends with SIGSEGV where an array or a text of Fortran has empty parentheses. */
import { GdbError } from '../mi/mi-connection';
import type { GdbThread } from '../mi/context';
import { printedAnswer } from './printed-answer';
import { NoPythonError, runPython } from './run-python';

const script = `
import gdb, json
def _mpidbg_called_variable(names):
    if gdb.selected_thread() is None or gdb.selected_frame().language() != 'fortran':
        return None
    for name in names:
        try:
            symbol = gdb.lookup_symbol(name.lower())[0]
        except gdb.error:
            continue
        if symbol is not None and not symbol.is_function and symbol.type is not None:
            return name
    return None
`;

/** The first variable of the frame that stands before `()`; undefined: none. */
export async function calledVariable(
  thread: GdbThread,
  frame: number | undefined,
  command: string,
): Promise<string | undefined> {
  const names = [...command.replace(/"[^"]*"|'[^']*'/g, "''").matchAll(/([A-Za-z]\w*)\s*\(\s*\)/g)].map(
    ([, name]) => name!,
  );
  if (names.length === 0) return undefined;
  try {
    await runPython(thread.gdb, script);
    const asked = `python print(json.dumps(_mpidbg_called_variable(json.loads('${JSON.stringify(names)}'))))`;
    return (printedAnswer(await thread.gdb.console(asked, thread, frame)) as string | null) ?? undefined;
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError) return undefined;
    throw error;
  }
}
