/** Splits a logical line into statements, which end at `;`, and their tokens; names are in lower case. */
import type { LogicalLine } from './source-lines';

export interface Token {
  /** `order`: "<", ".ge."; `equality`: "==", ".ne."; `punctuation`: everything else, logical operators too. */
  readonly kind: 'name' | 'number' | 'string' | 'arithmetic' | 'order' | 'equality' | 'punctuation';
  /** A name in lower case, a string literal with its quotes, an operator: "::", "=>", "==", ".eq.", "(/". */
  readonly text: string;
  /** Index of its first character in the logical line. */
  readonly at: number;
}

/** The tokens of each statement, without empty statements. */
export function statementsOf({ text }: LogicalLine): Token[][] {
  const statements: Token[][] = [];
  const lower = lowerCase(text);
  let statement: Token[] = [];
  for (let at = 0; at < text.length;) {
    const c = text.charCodeAt(at);
    if (c === space || (c >= tab && c <= carriageReturn)) at++;
    else if (c === semicolon) {
      if (statement.length > 0) statements.push(statement);
      statement = [];
      at++;
    } else {
      const token = readToken(text, lower, at, c, statement);
      statement.push(token);
      // The text of a token is as long as in the source.
      at += token.text.length;
    }
  }
  if (statement.length > 0) statements.push(statement);
  return statements;
}

const tab = 0x09;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const apostrophe = 0x27;
const dot = 0x2e;
const semicolon = 0x3b;

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const isLetter = (c: number): boolean => (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a);
const beginsName = (c: number): boolean => isLetter(c) || c === 0x5f || c === 0x24;
const isInName = (c: number): boolean => isLetter(c) || isDigit(c) || c === 0x5f;

/** Lower case without changing positions: toLowerCase lengthens a few letters of other alphabets. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[^\0-\x7f]/g, '?').toLowerCase();
}

type Mark = Pick<Token, 'kind' | 'text'>;

const operatorKinds: readonly (readonly [Token['kind'], string])[] = [
  ['arithmetic', '+ - * / **'],
  ['order', '< > <= >= .lt. .gt. .le. .ge.'],
  ['equality', '== /= .eq. .ne.'],
  ['punctuation', ':: => // (/ /)'],
];
const operators = new Map(
  operatorKinds.flatMap(([kind, all]) => all.split(' ').map((text): [string, Mark] => [text, { kind, text }])),
);

/** One-character marks by code, two-character marks by `pair` of their codes, for fast lookup. */
const marks = new Map<number, Mark>();
for (let c = 0x20; c < 0x7f; c++) {
  const text = String.fromCharCode(c);
  marks.set(c, operators.get(text) ?? { kind: 'punctuation', text });
}
for (const [text, mark] of operators)
  if (text.length === 2) marks.set(pair(text.charCodeAt(0), text.charCodeAt(1)), mark);

function pair(first: number, second: number): number {
  return (first << 16) | second;
}

/** `before`: the tokens of the statement so far. */
function readToken(text: string, lower: string, at: number, c: number, before: readonly Token[]): Token {
  if (beginsName(c)) return { kind: 'name', text: readName(lower, at), at };
  if (c === apostrophe || c === quote) return { kind: 'string', text: text.slice(at, endOfLiteral(text, at, c)), at };
  if (isDigit(c) || (c === dot && isDigit(text.charCodeAt(at + 1))))
    return readNumber(text, lower, at, before.at(-1)?.text);
  const word = c === dot && isLetter(text.charCodeAt(at + 1)) ? /^\.[a-z]+\./.exec(lower.slice(at, at + 64)) : null;
  if (word !== null) return { kind: operators.get(word[0])?.kind ?? 'punctuation', text: word[0], at };
  const mark = marks.get(pair(c, text.charCodeAt(at + 1))) ?? marks.get(c);
  return { kind: mark?.kind ?? 'punctuation', text: mark?.text ?? text.charAt(at), at };
}

function endOfLiteral(text: string, start: number, quote: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charCodeAt(at) !== quote) continue;
    if (text.charCodeAt(at + 1) !== quote) return at + 1;
    at++;
  }
  return text.length;
}

const number = /(?:\d+(?:\.(?![a-z]+\.)\d*)?|\.\d+)(?:[ed][+-]?\d+)?(?:_\w+)?/y;

function readNumber(text: string, lower: string, at: number, before: string | undefined): Token {
  let plain = at;
  while (isDigit(lower.charCodeAt(plain))) plain++;
  const c = lower.charCodeAt(plain);
  if (plain > at && c !== dot && !isInName(c)) return { kind: 'number', text: text.slice(at, plain), at };
  number.lastIndex = at;
  const digits = number.exec(lower)?.[0] ?? lower.charAt(at);
  const end = at + digits.length;
  // 5hHELLO, a Hollerith constant: that many characters, whatever they are.
  if (lower[end] === 'h' && before !== undefined && /^[(,/=*]$/.test(before) && /^\d+$/.test(digits)) {
    return { kind: 'string', text: text.slice(at, end + 1 + Number(digits)), at };
  }
  return { kind: 'number', text: digits, at };
}

/** Recently read names, by a hash of their letters: most occur again, and share one string. */
const recentNames: (string | undefined)[] = new Array<undefined>(8192).fill(undefined);

function readName(lower: string, start: number): string {
  let end = start;
  let hash = 0;
  for (let c = lower.charCodeAt(end); isInName(c) || end === start; c = lower.charCodeAt(end)) {
    hash = (Math.imul(hash, 31) + c) | 0;
    end++;
  }
  const slot = hash & (recentNames.length - 1);
  const recent = recentNames[slot];
  if (recent?.length === end - start && lower.startsWith(recent, start)) return recent;
  // A substring would keep the whole source in memory; this copy does not.
  const name = ` ${lower.slice(start, end)}`.slice(1);
  recentNames[slot] = name;
  return name;
}

/** Index after the parenthesis that closes the one at `open`; the end of the statement if none does. */
export function afterParentheses(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const text = (tokens[i] as Token).text;
    if (text === '(' || text === '[' || text === '(/') depth++;
    else if (text === ')' || text === ']' || text === '/)') {
      depth--;
      if (depth === 0) return i + 1;
    }
  }
  return tokens.length;
}

/** The parts of [from, to) between its outermost commas. */
export function splitAtCommas(tokens: readonly Token[], from: number, to: number): Token[][] {
  const parts: Token[][] = [];
  let start = from;
  for (let i = from; i < to; i++) {
    const text = (tokens[i] as Token).text;
    if (text === '(' || text === '[' || text === '(/') i = afterParentheses(tokens, i) - 1;
    else if (text === ',') {
      parts.push(tokens.slice(start, i));
      start = i + 1;
    }
  }
  if (start < to) parts.push(tokens.slice(start, to));
  return parts;
}
