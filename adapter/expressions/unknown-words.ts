/** Undefined names that begin with a dollar sign: gdb takes each for a value without a type, and shows "void". */
import { GdbError } from '../gdb/mi/mi-connection';
import type { GdbThread } from '../gdb/mi/context';
import { conditionFault, unknownName } from '../gdb/python/condition-check';
import { NoPythonError } from '../gdb/python/run-python';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';
import type { Language } from './expression';
import { numberWordFault } from './number-words';

/** What the debug console may make, as in `$step = 3`. */
const assigned = /\$\w+(?=\s*=(?!=))/g;
/** Known to us, not to gdb. */
const ofOurs = /\$rank\b/g;

/** Rejects with GdbError, in one sentence. `constant`: see numberWordFault. */
export async function refuseUnknownWords(
  thread: GdbThread,
  expression: string,
  language: Language,
  constant: (name: string) => MpiConstant | undefined,
): Promise<void> {
  if (!/\$[A-Za-z_]/.test(expression)) return;
  const fault = numberWordFault(expression, language, undefined, constant) ?? (await unknownWordIn(thread, expression));
  if (fault !== undefined) throw new GdbError(fault, '');
}

async function unknownWordIn(thread: GdbThread, expression: string): Promise<string | undefined> {
  const asked = expression
    .replace(/'[^']*'/g, '0')
    .replace(assigned, '0')
    .replace(ofOurs, '0');
  try {
    const fault = await conditionFault(thread, asked, { address: undefined, language: 'c++' });
    return fault === undefined ? undefined : unknownName(fault.what);
  } catch (error) {
    if (error instanceof NoPythonError) return undefined;
    throw error;
  }
}
