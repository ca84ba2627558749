/** Tokens of a logical line, names in lower case. A fresh statement begins after every `;`. */
import type { LogicalLine } from './source-lines';

export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'punctuation';
  /** A name in lower case, a string literal with its quotes, an operator: "::", "=>", "==", ".eq.", "(/". */
  readonly text: string;
  /** Index of its first character in the logical line. */
  readonly at: number;
}

/** What each statement is made of; empty statements are left out. */
export function statementsOf(line: LogicalLine): Token[][] {
  const statements: Token[][] = [[]];
  const pattern =
    /[a-z_$]\w*|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|\.[a-z]+\.|\d+(?:\.(?![a-z]+\.)\d*)?(?:[ed][+-]?\d+)?(?:_\w+)?|\.\d+|::|=>|==|\/=|<=|>=|\*\*|\/\/|\(\/|\/\)|\S/gi;
  for (let match = pattern.exec(line.text); match !== null; match = pattern.exec(line.text)) {
    const raw = match[0];
    if (raw === ';') {
      statements.push([]);
      continue;
    }
    const kind = kindOf(raw);
    statements.at(-1)?.push({ kind, text: kind === 'string' ? raw : raw.toLowerCase(), at: match.index });
  }
  return statements.filter((statement) => statement.length > 0);
}

function kindOf(raw: string): Token['kind'] {
  const c = raw.charCodeAt(0);
  if (c === 0x27 || c === 0x22) return 'string';
  if ((c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f || c === 0x24) return 'name';
  const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
  return isDigit(c) || (c === 0x2e && isDigit(raw.charCodeAt(1))) ? 'number' : 'punctuation';
}

/** Index after the parenthesis that closes the one at `open`; the statement's end where none does. */
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

/** The parts between the commas of the outermost level in [from, to). */
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
