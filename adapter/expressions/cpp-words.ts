/** Words of C++ that gdb does not know or gets wrong, as gdb reads them. */
import { withoutDigitSeparators } from './expression';
import { castToPointer, castToReference } from '../gdb/python/dynamic-cast-function';

const passedOver = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![\w$])(?:(?:nullptr|NULL)\b|dynamic_cast\s*(?=<))|[^]/gy;

/** `nullptr`, NULL and `dynamic_cast`, operators that are words, and names in a namespace without one. What is cut short stays as it is. */
export function withCppWords(source: string): string {
  return withCasts(withOperators(withoutDigitSeparators(source)));
}

const operators: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  xor: '^',
  bitand: '&',
  bitor: '|',
  not_eq: '!=',
  not: '!',
};

/** Only where an operand stands on either side: C may have variables of these names. `not (x)` is gdb's to read. */
const spelled = new RegExp(
  [
    String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`,
    String.raw`(?<=[\w)\]"'][ \t]*)\b(and|or|xor|bitand|bitor|not_eq)\b(?=\s*[\w("'!~*&$+-])`,
    String.raw`(?<![\w.>])(not)[ \t]+(?=[\w"'!~*$])`,
    String.raw`(?<=[=!]=[ \t]*)\b(true|false)\b|(?<![\w$.>:])\b(true|false)(?=\s*[=!]=)`,
    String.raw`((?:\w+::)*\(anonymous namespace\)(?:::(?:\w+|\(anonymous namespace\)))+)`,
  ].join('|'),
  'g',
);

function withOperators(source: string): string {
  return source.replace(spelled, (whole: string, ...groups: (string | undefined)[]) => {
    const [binary, not, right, left, unnamed] = groups;
    const truth = right ?? left;
    // A macro in C, which no debug information has.
    if (truth !== undefined) return truth === 'true' ? '1' : '0';
    if (unnamed !== undefined) return `'${unnamed}'`;
    return operators[binary ?? not ?? ''] ?? whole;
  });
}

function withCasts(source: string): string {
  if (!/\b(?:nullptr|NULL|dynamic_cast)\b/.test(source)) return source;
  let written = '';
  for (let at = 0; at < source.length;) {
    passedOver.lastIndex = at;
    const [found] = passedOver.exec(source)!;
    at += found.length;
    const cast = found.startsWith('dynamic_cast') ? castAt(source, at) : undefined;
    written += /^(?:nullptr|NULL)$/.test(found) ? '((void *)0)' : (cast?.written ?? found);
    at = cast?.end ?? at;
  }
  return written;
}

/** `<T *>(operand)` or `<T &>(operand)`, behind the word. */
function castAt(source: string, start: number): { written: string; end: number } | undefined {
  const typeEnd = closing(source, start, '<>');
  const [gap] = /^\s*/.exec(source.slice(typeEnd ?? source.length))!;
  const operandStart = (typeEnd ?? source.length) + gap.length;
  if (typeEnd === undefined || source.charAt(operandStart) !== '(') return undefined;
  const end = closing(source, operandStart, '()');
  if (end === undefined) return undefined;
  const type = source.slice(start + 1, typeEnd - 1).trim();
  const operand = withCppWords(source.slice(operandStart + 1, end - 1));
  const referred = /^(.*?)\s*&&?$/s.exec(type)?.[1];
  const written = referred === undefined ? castToPointer(type, operand) : castToReference(referred, operand);
  return { written, end };
}

const pieces = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|->|[^]/gy;

/** Behind the bracket that closes the one at `start`; undefined: there is none. */
function closing(source: string, start: number, brackets: '<>' | '()'): number | undefined {
  let depth = 0;
  for (let at = start; at < source.length;) {
    pieces.lastIndex = at;
    const [piece] = pieces.exec(source)!;
    at += piece.length;
    if (piece === brackets.charAt(0)) depth += 1;
    else if (piece === brackets.charAt(1) && --depth === 0) return at;
  }
  return undefined;
}
