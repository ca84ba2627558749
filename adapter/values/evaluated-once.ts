/**
 * Expressions that may change the program, by an assignment or by a call: gdb evaluates each of them once, also where it fails, and all that is
 * asked about the value later is asked of what gdb has kept.
 */
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { isAssignment } from '../gdb/mi/read-only';

/** Several ranks evaluate in one gdb at a time, each into a variable of its own. */
let kept = 0;

/**
 * The expression that stands for the value from now on: of what is in memory still that place, of anything else a copy in a variable of gdb's,
 * and the expression itself where evaluating it changes nothing. Rejects with GdbError.
 */
export async function evaluatedOnce({ thread, frame, language }: EvaluationFrame, source: string): Promise<string> {
  if (thread.mayCallFunctions !== true || !mayChange(source, language)) return source;
  const variable = `$_mpidbg_kept_${kept++}`;
  // For a size, gdb neither calls nor assigns: it takes x++ for a place then, which it is not.
  const isInMemory =
    language !== 'fortran' &&
    !/\+\+|--/.test(source) &&
    (await dataEvaluateExpression(thread, frame, `sizeof(&(${source}))`).then(
      () => true,
      () => false,
    ));
  await dataEvaluateExpression(thread, frame, `${variable} = ${isInMemory ? '&' : ''}(${source})`);
  return isInMemory ? `*${variable}` : variable;
}

/** All but what plainly leads to a variable: any operator may be a function of C++. In Fortran a call looks like an element of an array. */
function mayChange(source: string, language: EvaluationFrame['language']): boolean {
  if (isAssignment(source, language)) return true;
  if (language === 'fortran') return false;
  const withoutSubscripts = source.replace(/\[[^\]]*\]/g, '').replaceAll('->', '.');
  return /[\w$)>]\s*[(*&]|[-+/%^|<>!~?]/.test(withoutSubscripts);
}
