/** Words that stand for numbers, such as `$rank` and `$tag`, and for handles, as `$comm`: what else would be made of one has no meaning. */
import { callWords } from '../../plugin-api/fortran/call-words';
import type { Language } from './expression';

/** They mean something in the conditions and log messages of breakpoints on MPI's functions alone. */
const ofCalls: ReadonlySet<string> = new Set(callWords.map((name) => `$${name}`));
const numbers: ReadonlySet<string> = new Set([...ofCalls, '$rank']);
/** Handles, each with one of MPI's own. */
const handles: Readonly<Record<string, string>> = { $comm: 'MPI_COMM_WORLD', $datatype: 'MPI_INT' };

const token =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.(?:and|or|not|n?eqv|eq|ne|lt|le|gt|ge)\.|\$?[A-Za-z_]\w*|\d[\w.]*|->|::|&&|\|\||[=!<>/]=|<<|>>|\S/gi;
const operand = /^(?:[\w$"')\]]|\.\d)/;
const arithmetic = /^(?:unsigned|signed|short|long|int|char|float|double|bool|_Bool|u?int\d+_t|s?size_t)$/;
/** In order, only texts are compared with a handle's name. */
const equality = /^(?:[=!/]=|\.(?:eq|ne)\.)$/i;
const order = /^(?:[<>]=?|\.(?:lt|le|gt|ge)\.)$/i;
const betweenConditions = /^(?:[(),?:]|&&|\|\||\.(?:and|or|not)\.)$/i;

/** The word and its parentheses, among the tokens. */
interface Use {
  readonly tokens: readonly string[];
  readonly first: number;
  readonly last: number;
}

/**
 * Why an expression has no meaning, in a sentence; undefined: as far as these words go, it has one. `ofCall`: it is the
 * condition of a breakpoint on a function of MPI, or shown there.
 */
export function numberWordFault(
  expression: string,
  language: Language,
  ofCall?: 'condition' | 'shown',
): string | undefined {
  const tokens = [...expression.matchAll(token)].map(([each]) => each);
  for (const [i, name] of tokens.entries()) {
    if (!numbers.has(name)) continue;
    if (ofCall === undefined && ofCalls.has(name))
      return `nothing is called ${name}: only conditions and log messages of breakpoints on MPI's functions, such as MPI_Send, know it`;
    const use = useOf(tokens, i);
    const handle = handles[name];
    if (handle !== undefined && !isCompared(use) && !(ofCall === 'shown' && isAlone(use)))
      return `${name} is a handle, which can only be compared, as in ${name} == ${handle} or ${name} == "ocean"`;
    if (/^[\w$"']/.test(tokens[use.last + 1] ?? '') && tokens[use.last + 1] !== 'in')
      return `an operator is missing behind ${name}`;
    if (!isOfNumber(use, language))
      return `${name} is a number: it has no members, elements or address, and can only be converted to other numbers`;
  }
  return undefined;
}

function useOf(tokens: readonly string[], at: number): Use {
  let [first, last] = [at, at];
  const isCall = (): boolean => /^[\w$]|^\]/.test(tokens[first - 2] ?? '');
  while (tokens[first - 1] === '(' && tokens[last + 1] === ')' && !isCall()) [first, last] = [first - 1, last + 1];
  return { tokens, first, last };
}

function isAlone({ tokens, first, last }: Use): boolean {
  return first === 0 && last === tokens.length - 1;
}

function isCompared({ tokens, first, last }: Use): boolean {
  const compares = (at: number, step: 1 | -1): boolean =>
    equality.test(tokens[at] ?? '') || (order.test(tokens[at] ?? '') && /^["']/.test(tokens[at + step] ?? ''));
  const sides = [compares(first - 1, -1), compares(last + 1, 1)];
  const ends = [tokens[first - 1], tokens[last + 1]];
  return (
    sides.includes(true) &&
    ends.every(
      (end, i) => sides[i] === true || end === undefined || (betweenConditions.test(end) && !/\.not\./i.test(end)),
    )
  );
}

function isOfNumber({ tokens, first, last }: Use, language: Language): boolean {
  const [before = '', after = ''] = [tokens[first - 1], tokens[last + 1]];
  if (/^(?:->|::|[[(.])$/.test(after) || /^(?:->|::|[.$])$/.test(before)) return false;
  if (language === 'fortran' && [before, after].includes('%')) return false;
  if (/^[*&]$/.test(before)) return operand.test(tokens[first - 2] ?? '');
  if (before !== ')') return true;
  const type = tokens.slice(tokens.lastIndexOf('(', first - 1) + 1, first - 1);
  return type.every((each) => arithmetic.test(each));
}
