/**
 * Expressions that may change the program, by an assignment or by a call: gdb evaluates each of them once, also where it fails, and all that is
 * asked about the value later is asked of what gdb has kept.
 */
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { isAssignment } from '../gdb/mi/read-only';

/** Several ranks evaluate in one gdb at a time, each into a variable of its own. */
let kept = 0;

/** What stands for the value from now on: a variable of gdb's, or the expression itself where that changes nothing. Rejects with GdbError. */
export async function evaluatedOnce({ thread, frame, language }: EvaluationFrame, source: string): Promise<string> {
  if (thread.mayCallFunctions !== true || !mayChange(source, language)) return source;
  const variable = `$_mpidbg_kept_${kept++}`;
  await dataEvaluateExpression(thread, frame, `${variable} = (${source})`);
  return variable;
}

/**
 * All but what leads to a variable, whose address a copy has not: any operator may be a function of C++. In Fortran a call looks like an element of an
 * array.
 */
function mayChange(source: string, language: EvaluationFrame['language']): boolean {
  if (isAssignment(source, language)) return true;
  if (language === 'fortran') return false;
  const withoutSubscripts = source.replace(/\[[^\]]*\]/g, '').replaceAll('->', '.');
  return /[\w$)>]\s*[(*&]|[-+/%^|<>!~?]/.test(withoutSubscripts);
}
