/** Words that stand for numbers, such as `$rank` and `$tag`, and for handles, as `$comm`: what else would be made of one has no meaning. */
import { callWords } from '../../plugin-api/fortran/call-words';
import { typeNames } from '../../plugin-api/mpi/describe';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';
import type { Language } from './expression';

/** They mean something in the conditions and log messages of breakpoints on MPI's functions alone. */
const ofCalls: ReadonlySet<string> = new Set(callWords.map((name) => `$${name}`));
const numbers: ReadonlySet<string> = new Set([...ofCalls, '$rank']);
/** Handles, each with one of MPI's own. */
const handles: Readonly<Record<string, { kind: HandleKind; own: string }>> = {
  $comm: { kind: 'comm', own: 'MPI_COMM_WORLD' },
  $datatype: { kind: 'datatype', own: 'MPI_INT' },
};

const token =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.(?:and|or|not|n?eqv|eq|ne|lt|le|gt|ge)\.|\$?[A-Za-z_]\w*|\d[\w.]*|->|::|&&|\|\||[=!<>/]=|<<|>>|\S/gi;
const operand = /^(?:[\w$"')\]]|\.\d)/;
const arithmetic = /^(?:unsigned|signed|short|long|int|char|float|double|bool|_Bool|u?int\d+_t|s?size_t)$/;
/** In order, only texts are compared with a handle's name. */
const equality = /^(?:[=!/]=|\.(?:eq|ne)\.)$/i;
const order = /^(?:[<>]=?|\.(?:lt|le|gt|ge)\.)$/i;
const opening = /^[([]$/;
const closing = /^[)\]]$/;
const text = /^["']/;
const fraction = /^(?!0x)(?:\d+\.|\d+e\d*$)/i;
const betweenConditions = /^(?:[(),?:]|&&|\|\||\.(?:and|or|not)\.)$/i;

/** The word and its parentheses, among the tokens. */
interface Use {
  readonly tokens: readonly string[];
  readonly first: number;
  readonly last: number;
}

/**
 * Why an expression has no meaning, in a sentence; undefined: as far as these words go, it has one. `ofCall`: it is the
 * condition of a breakpoint on a function of MPI, or shown there. `constant`: what MPI calls so.
 */
export function numberWordFault(
  expression: string,
  language: Language,
  ofCall?: 'condition' | 'shown',
  constant: (name: string) => MpiConstant | undefined = () => undefined,
): string | undefined {
  const tokens = [...expression.matchAll(token)].map(([each]) => each);
  for (const [i, name] of tokens.entries()) {
    if (!numbers.has(name)) continue;
    if (ofCall === undefined && ofCalls.has(name))
      return `nothing is called ${name}: only conditions and log messages of breakpoints on MPI's functions, such as MPI_Send, know it`;
    const use = useOf(tokens, i);
    const handle = handles[name];
    if (handle !== undefined && !isCompared(use) && !(ofCall === 'shown' && isAlone(use)))
      return `${name} is a handle, which can only be compared, ${likeThis(name)}`;
    if (/^[\w$"']/.test(tokens[use.last + 1] ?? '') && tokens[use.last + 1] !== 'in')
      return `an operator is missing behind ${name}`;
    if (!isOfNumber(use, language))
      return `${name} is a number: it has no members, elements or address, and can only be converted to other numbers`;
    const fractional = handle === undefined ? fractionBeside(use) : undefined;
    if (fractional !== undefined)
      return `${name} is a whole number and never ${fractional}: compare it ${likeThis(name)}`;
    const named = (each: string): MpiConstant | undefined =>
      constant(language === 'fortran' ? each.toUpperCase() : each);
    const other = comparedWith(use).find((each) => !isComparable(name, each, named));
    if (other !== undefined)
      return `${name} is ${handle === undefined ? 'a number' : `an ${typeNames[handle.kind]}`}, and ${other.join(' ')} is none: compare it ${likeThis(name)}`;
  }
  return undefined;
}

/** The fraction that the word is compared with by == or !=; undefined if there is none. */
function fractionBeside({ tokens, first, last }: Use): string | undefined {
  const isEquality = (at: number): boolean => equality.test(tokens[at] ?? '');
  const isEnd = (at: number): boolean => tokens[at] === undefined || betweenConditions.test(tokens[at]);
  if (isEquality(last + 1) && isEnd(first - 1))
    return fractionIn(tokens.slice(last + 2, operandEnd(tokens, last + 2, 1)));
  if (isEquality(first - 1) && isEnd(last + 1))
    return fractionIn(tokens.slice(operandEnd(tokens, first - 2, -1) + 1, first - 1));
  return undefined;
}

/** The literal in these tokens if it is a single one and not an integer. */
function fractionIn(tokens: readonly string[]): string | undefined {
  const [literal, ...others] = tokens.filter((each) => !/^[()+-]$/.test(each));
  const isFraction = literal !== undefined && others.length === 0 && !Number.isInteger(Number(plainNumber(literal)));
  return isFraction && /^[\d.]/.test(literal) && Number.isFinite(Number(plainNumber(literal))) ? literal : undefined;
}

function plainNumber(literal: string): string {
  return literal.replace(/[fl]$|_\w+$/i, '').replace(/[dq]/i, 'e');
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

function likeThis(name: string): string {
  const handle = handles[name];
  return handle === undefined
    ? `with numbers, as in ${name} == 7`
    : `as in ${name} == ${handle.own} or ${name} == "ocean"`;
}

/** What it is compared with, on either side of it. */
function comparedWith({ tokens, first, last }: Use): string[][] {
  const compares = (at: number): boolean => equality.test(tokens[at] ?? '') || order.test(tokens[at] ?? '');
  const before = operandEnd(tokens, first - 1, -1);
  const after = operandEnd(tokens, last + 1, 1);
  return [
    compares(before) ? tokens.slice(operandEnd(tokens, before - 1, -1) + 1, before) : [],
    compares(after) ? tokens.slice(after + 1, operandEnd(tokens, after + 1, 1)) : [],
  ].filter((each) => each.length > 0);
}

/** The first token from here on that is of no operand. */
function operandEnd(tokens: readonly string[], from: number, step: 1 | -1): number {
  const [inwards, outwards] = step === 1 ? [opening, closing] : [closing, opening];
  let depth = 0;
  let at = from;
  for (; tokens[at] !== undefined; at += step) {
    const each = tokens[at]!;
    if (inwards.test(each)) depth += 1;
    else if (outwards.test(each)) {
      if (depth-- === 0) break;
    } else if (depth === 0 && isOfNoOperand(each)) break;
  }
  return at;
}

function isOfNoOperand(each: string): boolean {
  return betweenConditions.test(each) || equality.test(each) || order.test(each);
}

function isComparable(
  name: string,
  other: readonly string[],
  constant: (name: string) => MpiConstant | undefined,
): boolean {
  const kind = handles[name]?.kind;
  const plain = other.filter((each) => !/^[()]$/.test(each));
  if (kind !== undefined && plain.length === 1 && text.test(plain[0]!)) return true;
  return plain.every((each, i) => {
    if (text.test(each)) return false;
    if (numbers.has(each)) return handles[each]?.kind === kind;
    const isFraction = fraction.test(each) || (each === '.' && /^\d/.test(plain[i + 1] ?? ''));
    if (kind !== undefined && isFraction) return false;
    const named = constant(each);
    if (named === undefined) return true;
    return kind === undefined
      ? !/handle|pointer/.test(named.kind)
      : named.kind === 'handle' && named.handleKind === kind;
  });
}
