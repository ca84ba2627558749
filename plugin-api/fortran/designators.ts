/** Names of variables, components and procedures in a statement's tokens, and the calls inside of an expression. */
import type { Argument, Designator, Place } from './program-model';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

export interface ReadDesignator {
  designator: Designator;
  /** Index of the first token after it, its subscripts or arguments included. */
  next: number;
  /** Where the last parentheses open, when the designator ends with some; otherwise undefined. */
  lastOpen: number | undefined;
}

/** The designator that begins at `start`: `grid%halo(3)%comm`, `reqs(1:n)`, `exchange(comm, n)`. */
export function readDesignator(
  tokens: readonly Token[],
  start: number,
  at: (token: Token) => Place,
): ReadDesignator | undefined {
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
    } else return { designator: { path, place: at(first) }, next, lastOpen };
  }
}

/** The designator that these tokens are, all of them; undefined for any other expression. */
export function wholeDesignator(tokens: readonly Token[], at: (token: Token) => Place): Designator | undefined {
  const read = readDesignator(tokens, 0, at);
  return read?.next === tokens.length ? read.designator : undefined;
}

/** What an assignment's right side may be: one name, or those in an array constructor. */
export function sourcesOf(tokens: readonly Token[], at: (token: Token) => Place): Designator[] {
  const open = tokens[0]?.text;
  if (open !== '[' && open !== '(/') {
    const whole = wholeDesignator(tokens, at);
    return whole === undefined ? [] : [whole];
  }
  if (afterParentheses(tokens, 0) !== tokens.length) return [];
  const typed = tokens.findIndex(({ text }) => text === '::');
  return splitAtCommas(tokens, typed < 0 ? 1 : typed + 1, tokens.length - 1).flatMap((part) => {
    const element = wholeDesignator(part, at);
    return element === undefined ? [] : [element];
  });
}

/** The actual arguments between the parentheses that open here. */
export function readArguments(
  tokens: readonly Token[],
  open: number | undefined,
  at: (token: Token) => Place,
): Argument[] {
  if (open === undefined) return [];
  return splitAtCommas(tokens, open + 1, afterParentheses(tokens, open) - 1).map((part) => {
    const keyword = part[0]?.kind === 'name' && part[1]?.text === '=' ? part[0].text : undefined;
    const value = keyword === undefined ? part : part.slice(2);
    const designator = wholeDesignator(value, at);
    const elements = designator === undefined ? sourcesOf(value, at) : [];
    return {
      ...(keyword !== undefined && { keyword }),
      ...(designator !== undefined && { designator }),
      ...(elements.length > 0 && { elements }),
    };
  });
}

const equality = new Set(['==', '/=', '.eq.', '.ne.']);

/** `a == b` and `a /= b` of two names, anywhere in the tokens. */
export function comparisonsIn(
  tokens: readonly Token[],
  at: (token: Token) => Place,
): { left: Designator; right: Designator }[] {
  const found: { left: Designator; right: Designator }[] = [];
  for (let i = 1; i + 1 < tokens.length; i++) {
    if (!equality.has((tokens[i] as Token).text)) continue;
    const right = readDesignator(tokens, i + 1, at)?.designator;
    const left = designatorBefore(tokens, i, at);
    if (left !== undefined && right !== undefined) found.push({ left, right });
  }
  return found;
}

const arithmetic = new Set('+ - * / ** < > <= >= .lt. .gt. .le. .ge.'.split(' '));

/** The names that the tokens calculate with or compare by size: `n` and `m` in `n + 1 < m`. */
export function* operandsIn(tokens: readonly Token[], at: (token: Token) => Place): Generator<Designator> {
  for (const [i, { text }] of tokens.entries()) {
    if (!arithmetic.has(text)) continue;
    const left = designatorBefore(tokens, i, at);
    const right = readDesignator(tokens, i + 1, at)?.designator;
    if (left !== undefined) yield left;
    if (right !== undefined) yield right;
  }
}

function designatorBefore(tokens: readonly Token[], end: number, at: (token: Token) => Place): Designator | undefined {
  // A designator's tokens are names, % and parentheses with anything in them; it cannot begin further left than this.
  for (let start = end - 1, depth = 0; start >= 0; start--) {
    const { text, kind } = tokens[start] as Token;
    if (text === ')') depth++;
    else if (text === '(') depth--;
    if (depth < 0) return undefined;
    if (depth === 0 && kind === 'name' && tokens[start - 1]?.text !== '%') {
      const read = readDesignator(tokens, start, at);
      return read?.next === end ? read.designator : undefined;
    }
    if (depth === 0 && kind !== 'name' && text !== '%' && text !== '(' && text !== ')') return undefined;
  }
  return undefined;
}
