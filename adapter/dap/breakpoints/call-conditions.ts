/** Conditions and log messages of breakpoints on MPI's functions: `$comm == "ocean" && $tag == 112`, also with Fortran's operators. */
import { callWords, hasWord, type CallWord, type MpiFunction } from '../../../plugin-api/fortran/call-words';
import type { MpiConstant } from '../../../plugin-api/mpi/plugin';
import { substituteConstants } from '../../expressions/expression';
import { numberWordFault } from '../../expressions/number-words';
import { withTextComparisons } from '../../expressions/text-comparisons';
import { callWord } from '../../gdb/python/mpi-calls';
import { symbolAddress } from '../../gdb/python/library-symbols';
import { RuleError } from './breakpoint-rules';

/** A text, or an operator of Fortran. */
const ofFortran =
  /"(?:[^"\\]|\\.)*"|'((?:[^'\\]|\\.|'')*)'|\/=|\.(and|or|not|eqv|neqv|eq|ne|lt|le|gt|ge|true|false)\./gi;

const inC: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  eqv: '==',
  neqv: '!=',
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  true: '1',
  false: '0',
};

/** In C's syntax: a function of MPI has no language, and may be called from several. */
export function callConditionInC(condition: string): string {
  return condition.replace(ofFortran, (whole, text: string | undefined, operator: string | undefined) => {
    if (operator !== undefined) return ` ${inC[operator.toLowerCase()]!} `;
    if (text !== undefined) return `"${text.replaceAll("''", "'").replace(/(?<!\\)"/g, '\\"')}"`;
    return whole === '/=' ? '!=' : whole;
  });
}

/** For gdb. Throws RuleError for a word that the function has no argument for, and for what has no meaning. */
export function callExpression(
  expression: string,
  called: MpiFunction,
  constant: (name: string) => MpiConstant | undefined,
  use: 'condition' | 'shown',
): string {
  const fault = numberWordFault(expression, 'c', use, constant);
  if (fault !== undefined) throw new RuleError(fault);
  const words = new RegExp(String.raw`"(?:[^"\\]|\\.)*"|\$(${callWords.join('|')})\b`, 'g');
  const written = expression.replace(words, (whole, word: CallWord | undefined) => {
    if (word === undefined) return whole;
    if (!hasWord(called, word)) throw new RuleError(`${whole}: ${called.name} ${missing(called, word)}`);
    return callWord(word);
  });
  // Handles are compared as numbers: where MPI is called from Fortran, gdb may know none of C's types.
  const named = substituteConstants(written, 'c', constant, () => 'unsigned long', symbolAddress);
  return withTextComparisons(named, 'c');
}

function missing(called: MpiFunction, word: CallWord): string {
  const others = callWords.filter((each) => hasWord(called, each)).map((each) => `$${each}`);
  const what = word === 'bytes' ? 'count of a datatype' : word === 'peer' ? 'rank of another process' : word;
  return `is not passed one ${what}; its conditions know ${[...others, '$rank'].join(', ')}`;
}
