/**
 * Variables of C and C++ whose lives have not begun: the line that declares them has not run, and what is in their memory is
 * left from others. Of a std::map that is not made yet gdb's printer may follow garbage for ever.
 */
import type { GdbThread } from '../mi/context';
import { GdbError } from '../mi/mi-connection';
import { NoPythonError, runPythonOnce } from './run-python';
import { printedAnswer } from './printed-answer';

export const unsetScript = `
import gdb, json, re
class _mpidbg_unset:
    @staticmethod
    def names():
        frame = gdb.selected_frame()
        place = frame.find_sal()
        table = place.symtab
        # An optimizing compiler mixes the instructions of lines; where the debug information does not tell whether it did, nothing is known.
        producer = getattr(table, 'producer', None) or ''
        if not producer.startswith('GNU C') or re.search(r' -O(?!0)', producer):
            return []
        block, first = frame.block(), False
        function = block
        while function.function is None and function.superblock is not None:
            function = function.superblock
        if frame.level() == 0 and place.pc == frame.pc():
            entries = [each.pc for each in table.linetable().line(place.line) or [] if function.start <= each.pc < function.end]
            first = len(entries) > 0 and frame.pc() == min(entries)
        seen, unset = set(), []
        while block is not None:
            for symbol in block:
                if not symbol.is_variable or symbol.is_argument or symbol.name in seen:
                    continue
                seen.add(symbol.name)
                # What needs no frame is static.
                if symbol.needs_frame and symbol.symtab.filename == table.filename and (symbol.line > place.line or (first and symbol.line == place.line)):
                    unset.append([symbol.name, symbol.line])
            if block.function is not None:
                break
            block = block.superblock
        return unset
    @staticmethod
    def tell():
        try:
            print(json.dumps(_mpidbg_unset.names()))
        except (gdb.error, RuntimeError, AttributeError):
            print('[]')
`;

/** By name, of equal names the innermost: the line that would set it. Empty where the compiler's information does not tell. */
export async function unsetVariables(thread: GdbThread, frame: number): Promise<ReadonlyMap<string, number>> {
  try {
    await runPythonOnce(thread.gdb, unsetScript);
    const printed = await thread.gdb.console('python _mpidbg_unset.tell()', thread, frame);
    return new Map(printedAnswer(printed) as [string, number][]);
  } catch (error) {
    if (error instanceof NoPythonError || error instanceof GdbError) return new Map();
    throw error;
  }
}
