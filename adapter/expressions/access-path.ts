/** Expressions for the parts of a value, written so that they can be evaluated again: `(*pb).comm` is `pb->comm`. */
import type { Language } from './expression';

/** An expression that denotes a value. */
export interface Written {
  text: string;
  /** It is the pointer to what is shown, or a container that has one value: members are reached with `->`. */
  arrow?: boolean;
}

/** A member of a struct, of what a pointer leads to, or a component of a derived type. */
export function memberOf({ text, arrow }: Written, name: string, language: Language): string {
  if (language === 'fortran') return `${grouped(text)}%${name}`;
  const pointer = arrow === true ? text : pointerOf(text);
  return pointer === undefined ? `${grouped(text)}.${name}` : `${grouped(pointer)}->${name}`;
}

/** An element of an array of C; `offset`: how far it is behind the first, where that differs from the index. */
export function elementOf(text: string, index: string): string {
  const slice = sliceIn(text);
  if (slice === undefined) return `${grouped(text)}[${index}]`;
  const pointer = pointerOf(slice.from);
  if (pointer !== undefined) return `${grouped(pointer)}[${index}]`;
  const [, array, first] = /^(.+)\[\s*(\d+)\s*\]$/s.exec(slice.from) ?? [];
  if (array === undefined) return `(&${slice.from})[${index}]`;
  return `${array}[${Number(first) + Number(index)}]`;
}

/** `*p@3` and `a[4]@3` are arrays that begin there. */
export function sliceIn(text: string): { from: string; count: string } | undefined {
  const [, from, count] = /^(.+?)\s*@\s*([^@]+)$/s.exec(text) ?? [];
  return from !== undefined && count !== undefined && isUnary(from) ? { from, count } : undefined;
}

/** What a pointer leads to. */
export function dereferenced(pointer: string): string {
  return isUnary(pointer) ? `*${pointer}` : `*(${pointer})`;
}

/** Something that a member or an index can be appended to. */
export function grouped(text: string): string {
  return postfixEnd(text, 0) === text.length ? text : `(${text})`;
}

/** The `p` in `*p`. */
function pointerOf(text: string): string | undefined {
  const pointer = /^\s*\*\s*(.+)$/s.exec(text)?.[1];
  return pointer !== undefined && isUnary(pointer) ? withoutParentheses(pointer) : undefined;
}

function withoutParentheses(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith('(') && closing(text, 0) === text.length - 1 && isUnary(inner) ? inner : text;
}

/** Binds at least as tightly as `*` and `&` do: `*p`, `&a[1]`, `(Box *)p`. */
function isUnary(text: string): boolean {
  if (text === '') return false;
  if (postfixEnd(text, 0) === text.length) return true;
  if (/^[*&]/.test(text)) return isUnary(text.slice(1).trimStart());
  const cast = text.startsWith('(') ? closing(text, 0) : -1;
  return cast > 0 && /[*&]\s*$/.test(text.slice(1, cast)) && isUnary(text.slice(cast + 1).trimStart());
}

/** A step of an expression such as `a.b[1]->c(2)`: its text, and what it is. */
export interface PostfixStep {
  text: string;
  sort: 'primary' | 'index' | 'call' | 'member' | 'arrow';
}

/** The steps that the whole text is made of; undefined for anything else, such as `*p` or `a + b`. */
export function postfixSteps(text: string): PostfixStep[] | undefined {
  const steps: PostfixStep[] = [];
  const end = postfixEnd(text, 0, steps);
  return end === text.length ? steps : undefined;
}

/**
 * What the last step of an expression leads through: `a.b` and the member `c` of `a.b->c`, the list of `a[1]`, the pointer of `*a`;
 * undefined: it is a name, or something else.
 */
export function lastStepOf(text: string): { whole: string; member: string | undefined } | undefined {
  if (text.startsWith('*')) return { whole: text.slice(1).trim(), member: undefined };
  const steps = postfixSteps(text) ?? [];
  const last = steps.at(-1);
  const whole = steps.slice(0, -1).map((step) => step.text);
  switch (last?.sort) {
    case 'index':
      return { whole: whole.join(''), member: undefined };
    case 'member':
    case 'arrow':
      return { whole: whole.join(''), member: last.text.replace(/->|\./, '').trim() };
    default:
      return undefined;
  }
}

/** Those that begin at `start`, and where they end. */
export function postfixStepsAt(text: string, start: number): { steps: PostfixStep[]; end: number } {
  const steps: PostfixStep[] = [];
  return { end: postfixEnd(text, start, steps), steps };
}

const name = /\s*(?:::)?[A-Za-z_$][\w$]*(?:::~?[A-Za-z_]\w*)*/y;
const member = /\s*(\.|->|%)\s*[A-Za-z_][\w:]*/y;

/** Where the longest such expression that begins at `start` ends. */
function postfixEnd(text: string, start: number, steps: PostfixStep[] = []): number {
  let at = match(name, text, start) ?? (text.charAt(start) === '(' ? closing(text, start) + 1 : 0);
  if (at <= start) return start;
  steps.push({ text: text.slice(start, at), sort: 'primary' });
  for (;;) {
    const afterMember = match(member, text, at);
    const open = text.charAt(at);
    const end = afterMember ?? (open === '[' || open === '(' ? closing(text, at) + 1 : 0);
    if (end <= at) return at;
    const step = text.slice(at, end);
    const isArrow = step.trimStart().startsWith('->');
    const sort = afterMember !== undefined ? (isArrow ? 'arrow' : 'member') : open === '[' ? 'index' : 'call';
    steps.push({ text: step, sort });
    at = end;
  }
}

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The index of the bracket that closes the one at `open`; -1 if there is none. String literals are skipped. */
function closing(text: string, open: number): number {
  let depth = 0;
  const bracket = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\](){}]/g;
  bracket.lastIndex = open;
  for (let found = bracket.exec(text); found !== null; found = bracket.exec(text)) {
    if (/^[[({]$/.test(found[0])) depth += 1;
    else if (/^[\])}]$/.test(found[0]) && --depth === 0) return found.index;
  }
  return -1;
}

/**
 * The part of an array section, `a(2:4)` or `grid(:,1)`, at these positions, counted from 1 as gdb counts them; ":" for a
 * dimension that is left as it is. `lowBounds` are those of the whole array's dimensions. undefined: it is no section, or its
 * bounds are not known.
 */
export function partOfSection(
  text: string,
  positions: readonly string[],
  lowBounds: readonly number[],
): string | undefined {
  const section = sectionOf(text);
  if (section === undefined) return undefined;
  let next = 0;
  const indexes = section.subscripts.map((subscript, dimension) => {
    if (!isRange(subscript)) return subscript;
    const position = positions[next++];
    if (position === ':') return subscript;
    const [low = '', , stride = '1'] = rangeParts(subscript);
    const isFromLow = low === '' && !stride.startsWith('-');
    const first = isFromLow ? lowBounds[dimension] : /^-?\d+$/.test(low) ? Number(low) : undefined;
    if (first === undefined || !/^-?\d+$/.test(stride) || !/^\d+$/.test(position ?? '')) return undefined;
    return String(first + (Number(position) - 1) * Number(stride));
  });
  if (next !== positions.length || indexes.includes(undefined)) return undefined;
  return `${section.array}(${indexes.join(',')})`;
}

/** `grid(:,1)`: the array and its subscripts; undefined for what is no section. */
export function sectionOf(text: string): { array: string; subscripts: string[] } | undefined {
  const steps = postfixSteps(text.trim());
  const last = steps?.at(-1);
  if (steps === undefined || last?.sort !== 'call') return undefined;
  const subscripts = subscriptsOf(last.text);
  if (!subscripts.some(isRange)) return undefined;
  const array = steps.slice(0, -1).map((step) => step.text);
  return { array: array.join(''), subscripts };
}

/** The bounds and the stride in `2:8:3`; one part for what is no range, as `f(1:2)` and `function::i`. */
export function rangeParts(subscript: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  const token = /"[^"]*"|'[^']*'|[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+|[():]/g;
  for (const { 0: found, index } of subscript.matchAll(token)) {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (found !== ':' || depth > 0) continue;
    parts.push(subscript.slice(start, index).trim());
    start = index + 1;
  }
  return [...parts, subscript.slice(start).trim()];
}

export const isRange = (subscript: string): boolean => rangeParts(subscript).length > 1;

/** `i` and `f(j,k)` for `(i,f(j,k))`. */
export function subscriptsOf(call: string): string[] {
  const parts: string[] = [];
  let start = 1;
  let depth = 0;
  for (const { 0: found, index } of call.matchAll(/"[^"]*"|'[^']*'|[(),]/g)) {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if ((found === ',' && depth === 1) || (found === ')' && depth === 0)) {
      parts.push(call.slice(start, index).trim());
      start = index + 1;
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}
