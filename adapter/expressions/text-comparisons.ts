/**
 * Comparisons with a literal text, such as `name == "ocean"` and `'ocean' /= label`: by content, as everybody means them.
 * gdb would compare addresses, and call malloc in the program for the literal's.
 */
import { textComparison, type TextOperator } from '../gdb/python/text-function';
import { withContainers } from './containers';
import type { Language } from './expression';

/** What an expression consists of, as far as it decides where an operand of a comparison ends. */
type Sort = 'text' | 'comparison' | 'open' | 'close' | 'boundary' | 'operand' | 'other';

interface Token {
  sort: Sort;
  text: string;
  start: number;
  end: number;
}

/** The expression with every such comparison written for gdb, which needs prepareTexts before. */
export function withTextComparisons(source: string, language: Language): string {
  let written = language === 'c' ? withPlainLiterals(source) : source;
  // Each comparison takes its literal away.
  for (let next = firstComparison(written, language); next !== undefined; next = firstComparison(written, language))
    written = written.slice(0, next.start) + next.written + written.slice(next.end);
  return written;
}

function firstComparison(source: string, language: Language): (Token & { written: string }) | undefined {
  if (!/["']/.test(source)) return undefined;
  const tokens = tokensOf(source, language);
  for (const [i, token] of tokens.entries()) {
    if (token.sort !== 'text') continue;
    const found = comparisonAround(tokens, i, language);
    if (found === undefined) continue;
    const { from, to, operand, operator } = found;
    const [start, end] = [tokens[from]!.start, tokens[to]!.end];
    const compared = source.slice(tokens[operand.from]!.start, tokens[operand.to]!.end);
    const read = language === 'fortran' ? withoutTrim(compared) : withKeys(withoutCopy(compared));
    const written = textComparison(read, operator, bytesOf(token.text, language), language);
    return { ...token, start, end, written };
  }
  return undefined;
}

interface Comparison {
  /** The tokens that it consists of. */
  from: number;
  to: number;
  operand: { from: number; to: number };
  /** With the text on its right. */
  operator: TextOperator;
}

function comparisonAround(tokens: readonly Token[], text: number, language: Language): Comparison | undefined {
  const [before, after] = [tokens[text - 1], tokens[text + 1]];
  const isAlone = (beside: Token | undefined, bracket: Sort): boolean =>
    beside === undefined || beside.sort === 'boundary' || beside.sort === bracket;
  if (before?.sort === 'comparison' && isAlone(after, 'close')) {
    const from = operandFrom(tokens, text - 2, -1);
    if (from > text - 2) return undefined;
    return { from, to: text, operand: { from, to: text - 2 }, operator: operatorOf(before.text, language) };
  }
  if (after?.sort === 'comparison' && isAlone(before, 'open')) {
    const to = operandFrom(tokens, text + 2, 1);
    if (to < text + 2) return undefined;
    const operator = flipped[operatorOf(after.text, language)];
    return { from: text, to, operand: { from: text + 2, to }, operator };
  }
  return undefined;
}

/** The furthest token of the operand that begins at `start`, in this direction. */
function operandFrom(tokens: readonly Token[], start: number, step: 1 | -1): number {
  const [inwards, outwards] = step === 1 ? ['open', 'close'] : ['close', 'open'];
  let depth = 0;
  let at = start;
  for (; tokens[at] !== undefined; at += step) {
    const { sort } = tokens[at]!;
    if (sort === inwards) depth += 1;
    else if (sort === outwards && depth-- === 0) break;
    else if (sort === 'boundary' && depth === 0) break;
  }
  return at - step;
}

const operatorsOfFortran: Readonly<Record<string, TextOperator>> = {
  '/=': '!=',
  '.eq.': '==',
  '.ne.': '!=',
  '.lt.': '<',
  '.le.': '<=',
  '.gt.': '>',
  '.ge.': '>=',
};

function operatorOf(text: string, language: Language): TextOperator {
  return (language === 'fortran' ? operatorsOfFortran[text.toLowerCase()] : undefined) ?? (text as TextOperator);
}

const flipped: Readonly<Record<TextOperator, TextOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const sorts: Readonly<Record<Language, readonly (readonly [Sort, string])[]>> = {
  c: [
    ['text', String.raw`(?<!\w)(?:u8|[LuU])?"(?:[^"\\]|\\.)*"`],
    ['operand', String.raw`'(?:[^'\\]|\\.)*'|[\w$.]+`],
    ['other', '->|::|<<|>>'],
    ['comparison', '[=!<>]=|[<>]'],
    ['boundary', String.raw`&&|\|\||[?:,|^=]`],
    ['open', String.raw`[(\[{]`],
    ['close', String.raw`[)\]}]`],
  ],
  fortran: [
    ['text', `"(?:[^"]|"")*"|'(?:[^']|'')*'`],
    ['comparison', String.raw`[=/<>]=|[<>]|\.(?:eq|ne|lt|le|gt|ge)\.`],
    ['boundary', String.raw`\.(?:and|or|eqv|neqv|not)\.|[,=]`],
    ['operand', String.raw`[\w$]+`],
    ['open', String.raw`[(\[]`],
    ['close', String.raw`[)\]]`],
  ],
};

function tokensOf(source: string, language: Language): Token[] {
  const pattern = new RegExp([...sorts[language].map(([, each]) => `(${each})`), String.raw`\S`].join('|'), 'gis');
  const tokens: Token[] = [];
  for (const match of source.matchAll(pattern)) {
    const [text, ...groups] = match;
    const index = groups.findIndex((group) => group !== undefined);
    const sort = isBinaryAnd(text, tokens.at(-1)) ? 'boundary' : (sorts[language][index]?.[0] ?? 'other');
    tokens.push({ sort, text, start: match.index, end: match.index + text.length });
  }
  return tokens;
}

/** It binds less tightly than a comparison; that of an address does not. */
function isBinaryAnd(text: string, before: Token | undefined): boolean {
  return text === '&' && before !== undefined && /^(operand|close|text)$/.test(before.sort);
}

/** `std::string("ocean")`, `"ocean"s` and `"ocean"sv` are compared like the literal in them; a literal may contain such words. */
function withPlainLiterals(source: string): string {
  const literal = String.raw`"(?:[^"\\]|\\.)*"`;
  const text = String.raw`std::(?:string|string_view)\s*(?:\(\s*(${literal})\s*\)|\{\s*(${literal})\s*\})`;
  return source.replaceAll(
    new RegExp(String.raw`(?<!\w)${text}|(${literal})sv?\b|${literal}`, 'g'),
    (whole, round?: string, curly?: string, marked?: string) => round ?? curly ?? marked ?? whole,
  );
}

/** A copy has the same content, and gdb makes none. */
function withoutCopy(operand: string): string {
  const copied = /^\s*std::(?:string|string_view)\s*(?:\(([^()]*)\)|\{([^{}]*)\})\s*$/.exec(operand);
  return copied?.[1] ?? copied?.[2] ?? operand;
}

/** Comparing does that anyway, and gdb knows no such function. */
function withoutTrim(operand: string): string {
  return /^trim\s*\((.*)\)$/is.exec(operand.trim())?.[1] ?? operand;
}

/**
 * Where a map has texts as keys, gdb would call its operator; everything else it reads itself. A member behind such a key
 * can be read where gdb evaluates it only: of operands that another one makes irrelevant, it takes functions for integers.
 */
function withKeys(operand: string): string {
  return /\[\s*"/.test(operand) ? withContainers(operand) : operand;
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27 };

/** The bytes of a literal: in C with its escapes, in Fortran with doubled quotes. */
function bytesOf(literal: string, language: Language): Buffer {
  const inner = literal.slice(literal.search(/["']/) + 1, -1);
  if (language === 'fortran') return Buffer.from(inner.replaceAll(literal.at(-1)!.repeat(2), literal.at(-1)!));
  const pieces = [...inner.matchAll(/\\(?:x([0-9a-f]+)|([0-7]{1,3})|u([0-9a-f]{4})|(.))|[^\\]+/gis)];
  return Buffer.concat(
    pieces.map(([whole, hex, octal, unicode, char]) => {
      const code = hex !== undefined ? parseInt(hex, 16) : octal !== undefined ? parseInt(octal, 8) : undefined;
      if (code !== undefined) return Buffer.of(code);
      if (unicode !== undefined) return Buffer.from(String.fromCharCode(parseInt(unicode, 16)));
      if (char === undefined) return Buffer.from(whole);
      const escaped = escapes[char];
      return escaped === undefined ? Buffer.from(char) : Buffer.of(escaped);
    }),
  );
}
