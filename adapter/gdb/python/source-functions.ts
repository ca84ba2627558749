/** The functions of one source file, as its debug information has them: what a file is recognised by. */
import type { GdbThread } from '../mi/context';
import { runPythonOnce } from './run-python';

/**
 * `name`: without namespaces, types and arguments; in Fortran in small letters, "program" for the main program. `line`: where
 * it is declared.
 */
export interface SourceFunction {
  name: string;
  line: number;
}

/** Files with more are recognised by these. */
const maxFunctions = 200;

const script = `
import gdb, json, re
class _mpidbg_sources:
    @staticmethod
    def functions(path):
        found = gdb.decode_line("'%s':1" % path)[1]
        tables = [place.symtab for place in found or [] if place.symtab is not None and place.symtab.fullname() == path]
        functions = set()
        for table in tables:
            for block in (table.global_block(), table.static_block()):
                for symbol in block:
                    if not symbol.is_function or symbol.symtab.fullname() != path or symbol.line == 0:
                        continue
                    name = re.split('::', symbol.name.split('(')[0].split('<')[0])[-1]
                    if re.fullmatch('[A-Za-z_]\\\\w*', name):
                        functions.add((symbol.line, name))
        if any(name == 'MAIN__' for line, name in functions):
            # gfortran's own main calls the program, whose name is not told.
            functions = {(line, 'program' if name == 'MAIN__' else name) for line, name in functions if name != 'main'}
        return [{'name': name, 'line': line} for line, name in sorted(functions)][:${maxFunctions}]
`;
import { printedAnswer } from './printed-answer';

/** `path`: as gdb names the file. Empty for one that gdb does not know. Rejects with NoPythonError, GdbError. */
export async function functionsOfSource(thread: GdbThread, path: string): Promise<SourceFunction[]> {
  if (/['\n]/.test(path)) return [];
  await runPythonOnce(thread.gdb, script);
  const encoded = Buffer.from(path).toString('base64');
  const asked = `_mpidbg_sources.functions(base64.b64decode('${encoded}').decode())`;
  return printedAnswer(
    await thread.gdb.console(`python import base64; print(json.dumps(${asked}))`, thread),
  ) as SourceFunction[];
}
