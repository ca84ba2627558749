/** Headings of procedures, and USE statements. */
import type { Scope } from './program-model';
import { readType } from './scan-declarations';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

const prefixes = new Set(['pure', 'elemental', 'impure', 'recursive', 'non_recursive', 'module', 'attributes']);

/** Index of SUBROUTINE or FUNCTION in a heading, behind its prefixes; undefined where the statement is none. */
export function startOfProcedure(tokens: readonly Token[]): number | undefined {
  let i = 0;
  for (;;) {
    const text = tokens[i]?.text ?? '';
    if (text === 'subroutine' || text === 'function') return tokens[i + 1]?.kind === 'name' ? i : undefined;
    const type = readType(tokens.slice(i));
    if (type !== undefined) i += type.next;
    else if (prefixes.has(text)) i = tokens[i + 1]?.text === '(' ? afterParentheses(tokens, i + 1) : i + 1;
    else return undefined;
  }
}

/** Names of the dummy arguments; an alternate return (*) keeps its position. */
export function readDummies(tokens: readonly Token[], open: number): string[] {
  if (tokens[open]?.text !== '(') return [];
  return splitAtCommas(tokens, open + 1, afterParentheses(tokens, open) - 1).map((part) => part[0]?.text ?? '');
}

/** The name in `result(name)`. */
export function readResult(tokens: readonly Token[], from: number): string | undefined {
  const at = tokens.findIndex(({ text }, i) => i >= from && text === 'result' && tokens[i + 1]?.text === '(');
  return at < 0 ? undefined : tokens[at + 2]?.text;
}

/** `use, intrinsic :: name, only: local => name, name`. */
export function readUse(tokens: readonly Token[]): Scope['uses'] {
  const separator = tokens.findIndex(({ text }) => text === '::');
  const [module, ...items] = splitAtCommas(tokens, separator < 0 ? 1 : separator + 1, tokens.length);
  if (module?.[0]?.kind !== 'name') return [];
  const only = items[0]?.[0]?.text === 'only' && items[0][1]?.text === ':';
  const names = items.flatMap((item, i) => {
    const tokens = only && i === 0 ? item.slice(2) : item;
    const [local, arrow, name] = tokens;
    if (local?.kind !== 'name') return [];
    return [{ local: local.text, name: arrow?.text === '=>' && name !== undefined ? name.text : local.text }];
  });
  return [{ module: module[0].text, only, names }];
}
