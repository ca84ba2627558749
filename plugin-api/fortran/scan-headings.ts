/** Headings of procedures, and USE statements. */
import type { Binding, Scope } from './program-model';
import { readType } from './scan-declarations';
import { afterParentheses, splitAtCommas, type Token } from './tokens';

const prefixes = new Set(['pure', 'elemental', 'impure', 'recursive', 'non_recursive', 'module', 'attributes']);

/** Index of SUBROUTINE or FUNCTION in a procedure heading, after its prefixes; undefined: not a heading. */
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

/** The names of the dummy arguments; an alternate return (*) keeps its position. */
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

/** The parent of a submodule: `submodule (module) name`, `submodule (module:submodule) name`. */
export function readAncestor(tokens: readonly Token[]): string {
  const module = tokens[2]?.text ?? '';
  return tokens[3]?.text === ':' ? `${module}:${tokens[4]?.text ?? ''}` : module;
}

/**
 * `procedure, nopass :: name => procedure, other`, `procedure(interface), pass(self), deferred :: name` in a derived
 * type.
 */
export function readBindings(tokens: readonly Token[]): [string, Binding][] {
  const separator = tokens.findIndex(({ text }) => text === '::');
  const attributes = tokens.slice(0, Math.max(separator, 0)).map(({ text }) => text);
  const ofInterface = attributes[1] === '(' ? attributes[2] : undefined;
  const pass = attributes.indexOf('pass', 1);
  const passedAs = attributes.includes('nopass')
    ? null
    : attributes[pass + 1] === '('
      ? attributes[pass + 2]
      : undefined;
  return splitAtCommas(tokens, separator < 0 ? 1 : separator + 1, tokens.length).map((binding) => {
    const name = binding[0]?.text ?? '';
    const procedure = ofInterface ?? (binding[1]?.text === '=>' ? (binding[2]?.text ?? name) : name);
    return [name, { procedure, ...(passedAs !== undefined && { passedAs }) }];
  });
}

/** `type, extends(base) :: grid`; undefined: not a type definition. */
export function readTypeHeading(tokens: readonly Token[]): { name: string; parent: string | undefined } | undefined {
  if (tokens[0]?.text !== 'type' || tokens[1]?.text === '(' || tokens.length < 2) return undefined;
  const name = tokens.findLast(
    ({ kind, text }, i) => kind === 'name' && (i === 1 || tokens[i - 1]?.text === '::') && text !== 'is',
  );
  const extendsAt = tokens.findIndex(({ text }) => text === 'extends');
  return name && { name: name.text, parent: extendsAt > 0 ? tokens[extendsAt + 2]?.text : undefined };
}

/** The name whose type SELECT TYPE selects, and the designator it stands for; both undefined for SELECT CASE. */
export function readSelect(tokens: readonly Token[]): { name: string | undefined; target: string | undefined } {
  const open = tokens.findIndex(({ text }) => text === '(');
  const isType = tokens[0]?.text === 'selecttype' || tokens[1]?.text === 'type';
  const name = isType ? tokens[open + 1]?.text : undefined;
  return { name, target: tokens[open + 2]?.text === '=>' ? tokens[open + 3]?.text : name };
}
