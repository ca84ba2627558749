/** Names of variables, components and procedures in a statement's tokens, and the calls inside an expression. */
import { partOf } from './array-part';
import type { Argument, Designator, SourceLocation } from './program-model';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

interface ReadPath {
  path: string;
  first: Token;
  /** Index of the first token after it and its subscripts or arguments. */
  next: number;
  /** Index of the last opening parenthesis if the designator ends with parentheses; otherwise undefined. */
  lastOpen: number | undefined;
}

export interface ReadDesignator extends Omit<ReadPath, 'path' | 'first'> {
  designator: Designator;
}

/** The designator that begins at `start`: `grid%halo(3)%comm`, `reqs(1:n)`, `exchange(comm, n)`. */
export function readDesignator(
  tokens: readonly Token[],
  start: number,
  at: (token: Token) => SourceLocation,
): ReadDesignator | undefined {
  const read = readPath(tokens, start);
  return read && { designator: designatorOf(tokens, read, at), next: read.next, lastOpen: read.lastOpen };
}

function designatorOf(
  tokens: readonly Token[],
  { path, first, lastOpen }: ReadPath,
  at: (token: Token) => SourceLocation,
): Designator {
  const part = lastOpen === undefined ? undefined : partOf(tokens, lastOpen);
  return { path, ...(part && { part }), location: at(first) };
}

function readPath(tokens: readonly Token[], start: number): ReadPath | undefined {
  const first = tokens[start];
  if (first?.kind !== 'name') return undefined;
  let path = first.text;
  let next = start + 1;
  let lastOpen: number | undefined;
  for (;;) {
    const text = tokens[next]?.text;
    if (text === '(' || text === '(/') {
      lastOpen = next;
      next = afterParentheses(tokens, next);
    } else if (text === '%' && tokens[next + 1]?.kind === 'name') {
      path += `%${tokens[next + 1]?.text}`;
      next += 2;
      lastOpen = undefined;
    } else return { path, first, next, lastOpen };
  }
}

/** The path of the designator if all of these tokens are one; undefined for any other expression. */
export function wholePath(tokens: readonly Token[]): string | undefined {
  const read = readPath(tokens, 0);
  return read?.next === tokens.length ? read.path : undefined;
}

/** The designator if all of these tokens are one; undefined for any other expression. */
export function wholeDesignator(
  tokens: readonly Token[],
  at: (token: Token) => SourceLocation,
): Designator | undefined {
  const read = readPath(tokens, 0);
  return read?.next === tokens.length ? designatorOf(tokens, read, at) : undefined;
}

/** The names on the right side of an assignment: a single one, or those in an array constructor, each one part of it. */
export function sourcesOf(tokens: readonly Token[], at: (token: Token) => SourceLocation): Designator[] {
  const open = tokens[0]?.text;
  if (open !== '[' && open !== '(/') {
    const whole = wholeDesignator(tokens, at);
    return whole === undefined ? [] : [whole];
  }
  if (afterParentheses(tokens, 0) !== tokens.length) return [];
  const typed = tokens.findIndex(({ text }) => text === '::');
  return splitAtCommas(tokens, typed < 0 ? 1 : typed + 1, tokens.length - 1).flatMap((part) => {
    const element = wholeDesignator(part, at);
    return element === undefined ? [] : [{ ...element, part: 'element' }];
  });
}

/** The actual arguments between the parentheses that open here. */
export function readArguments(
  tokens: readonly Token[],
  open: number | undefined,
  at: (token: Token) => SourceLocation,
): Argument[] {
  if (open === undefined) return [];
  return splitAtCommas(tokens, open + 1, afterParentheses(tokens, open) - 1).map((part) => {
    const keyword = part[0]?.kind === 'name' && part[1]?.text === '=' ? part[0].text : undefined;
    const value = keyword === undefined ? part : part.slice(2);
    const designator = wholeDesignator(value, at);
    const elements = designator === undefined ? sourcesOf(value, at) : [];
    const argument: Argument = {};
    if (keyword !== undefined) argument.keyword = keyword;
    if (designator !== undefined) argument.designator = designator;
    if (elements.length > 0) argument.elements = elements;
    return argument;
  });
}

/** Comparisons `a == b` and `a /= b` of two names after the token `from`. */
export function comparisonsIn(
  tokens: readonly Token[],
  from: number,
  at: (token: Token) => SourceLocation,
): { left: Designator; right: Designator }[] {
  const found: { left: Designator; right: Designator }[] = [];
  for (let i = from + 1; i + 1 < tokens.length; i++) {
    if ((tokens[i] as Token).kind !== 'equality') continue;
    const right = readDesignator(tokens, i + 1, at)?.designator;
    const left = designatorBefore(tokens, from, i, at);
    if (left !== undefined && right !== undefined) found.push({ left, right });
  }
  return found;
}

/** Whether an expression calculates a number; `-1` does not count, since it may mean "no handle". */
export function isCalculated(tokens: readonly Token[]): boolean {
  for (let i = 1; i < tokens.length; i++) {
    const { kind, text } = tokens[i] as Token;
    if (text === '(' || text === '[' || text === '(/') i = afterParentheses(tokens, i) - 1;
    else if (kind === 'arithmetic') return true;
  }
  return false;
}

/** Whether an assignment's right side is a literal number, or an array constructor with one; 0 and -1 do not count. */
export function holdsNumber(tokens: readonly Token[]): boolean {
  const open = tokens[0]?.text;
  if (open !== '[' && open !== '(/') return isNumber(tokens);
  return splitAtCommas(tokens, 1, afterParentheses(tokens, 0) - 1).some(isNumber);
}

/** Excludes 0 and -1, which may mean "no handle yet". */
function isNumber(tokens: readonly Token[]): boolean {
  const [first, second] = tokens;
  const isNegative = first?.text === '-';
  if (tokens.length !== (isNegative ? 2 : 1) || (isNegative ? second : first)?.kind !== 'number') return false;
  return isNegative ? second?.text !== '1' : first?.text !== '0';
}

/** Reports names that are operands of arithmetic or of an order comparison: `n` and `m` in `n + 1 < m`. */
export function forEachOperand(tokens: readonly Token[], found: (path: string, first: Token) => void): void {
  for (let i = 0; i < tokens.length; i++) {
    const { kind } = tokens[i] as Token;
    if (kind !== 'arithmetic' && kind !== 'order') continue;
    const left = pathBefore(tokens, 0, i);
    if (left !== undefined) found(left.path, left.first);
    const right = readPath(tokens, i + 1);
    if (right !== undefined) found(right.path, right.first);
  }
}

function designatorBefore(
  tokens: readonly Token[],
  from: number,
  end: number,
  at: (token: Token) => SourceLocation,
): Designator | undefined {
  const read = pathBefore(tokens, from, end);
  return read && designatorOf(tokens, read, at);
}

function pathBefore(tokens: readonly Token[], from: number, end: number): ReadPath | undefined {
  // A designator consists of names, % and parentheses with any content; it starts after anything else.
  for (let start = end - 1, depth = 0; start >= from; start--) {
    const { text, kind } = tokens[start] as Token;
    if (text === ')') depth++;
    else if (text === '(') depth--;
    if (depth < 0) return undefined;
    if (depth === 0 && kind === 'name' && (start === from || tokens[start - 1]?.text !== '%')) {
      const read = readPath(tokens, start);
      return read?.next === end ? read : undefined;
    }
    if (depth === 0 && kind !== 'name' && text !== '%' && text !== '(' && text !== ')') return undefined;
  }
  return undefined;
}
