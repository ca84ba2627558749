/** Words with a dollar sign that nothing is called: to gdb they are values without a type, of which it says that they are "void". */
import { GdbError } from '../gdb/mi/mi-connection';
import type { GdbThread } from '../gdb/mi/context';
import { conditionFault } from '../gdb/python/condition-check';
import { NoPythonError } from '../gdb/python/run-python';
import type { Language } from './expression';
import { numberWordFault } from './number-words';

/** What the debug console may make, as in `$step = 3`. */
const assigned = /\$\w+(?=\s*=(?!=))/g;
/** Known to us, not to gdb. */
const ofOurs = /\$rank\b/g;

/** Rejects with GdbError, in one sentence. */
export async function refuseUnknownWords(thread: GdbThread, expression: string, language: Language): Promise<void> {
  if (!/\$[A-Za-z_]/.test(expression)) return;
  const fault = numberWordFault(expression, language) ?? (await unknownWordIn(thread, expression));
  if (fault !== undefined) throw new GdbError(fault, '');
}

async function unknownWordIn(thread: GdbThread, expression: string): Promise<string | undefined> {
  const asked = expression
    .replace(/'[^']*'/g, '0')
    .replace(assigned, '0')
    .replace(ofOurs, '0');
  try {
    const fault = await conditionFault(thread, asked, { address: undefined, language: 'c++' });
    return fault === undefined
      ? undefined
      : `nothing is called ${fault.what}: an expression knows the program's variables, $rank, and gdb's own words such as $rsp or $_thread`;
  } catch (error) {
    if (error instanceof NoPythonError) return undefined;
    throw error;
  }
}
