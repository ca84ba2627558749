/** Expressions and names for the parts of a variable, in the language of its frame. */
import type { VariableObject } from '../../gdb/variable-objects';
import {
  dereferenced,
  dimensions,
  elementCount as countOf,
  elementOf,
  grouped,
  isPointerType,
  memberOf,
} from '../../expressions/access-path';
import type { Language } from '../../expressions/expression';
import { subscripted, type ForwardArray } from '../../expressions/fortran-arrays';
import { withComponents } from '../../expressions/fortran-names';

/** Where a variable is: an expression that evaluates to it, and for a part of a Fortran array the indexes so far. */
export interface Path {
  /** As the user would write it. undefined: it cannot be written as an expression. */
  text: string | undefined;
  /** The same for gdb. */
  source: string | undefined;
  /** Of a part of a Fortran array: as the array's elements are read. */
  array?: ForwardArray;
  /** Of a Fortran array that is being descended into: the last dimension comes first, as gdb lists it. */
  indexes: readonly string[];
  /** What is a part of an object without a name of its own (a base class): how it is written. null: it cannot be. */
  own?: string | null;
}

export const rootPath = (text: string | undefined, source = text): Path => ({ text, source, indexes: [] });

/** What `step` makes of both. */
export function stepOf({ text, source }: Path, step: (expression: string) => string): Path {
  return rootPath(text && step(text), source && step(source));
}

/** The path of a child, and the name it is shown with. */
export function childPath(
  language: Language,
  parent: { variable: VariableObject; path: Path; name: string },
  child: VariableObject,
): { name: string; path: Path } {
  const { variable, path } = parent;
  const member = child.expression;
  if (path.text === undefined) return { name: member, path: rootPath(undefined) };
  if (variable.dynamic) return { name: member, path: inContainer(path, member) };
  if (isArray(variable)) return elementPath(language, parent, member);
  if (isPointer(variable) && member.startsWith('*')) {
    return { name: `*${parent.name}`, path: stepOf(path, dereferenced) };
  }
  // A base class, or a union without a name: its members are named as if they were the parent's.
  if (child.type === member || member.startsWith('<')) {
    const whole = path.own ?? path.text;
    const own = child.type === member ? `*(${member} *)${isPointer(variable) ? '' : '&'}(${whole})` : null;
    return { name: member, path: { ...path, own } };
  }
  const separator = language === 'fortran' ? '%' : isPointer(variable) ? '->' : '.';
  const { text, source } = stepOf(path, (whole) => `${grouped(whole)}${separator}${member}`);
  return { name: member, path: rootPath(text, language === 'fortran' && source ? withComponents(source) : source) };
}

/** What a pretty printer shows: `v[1]`, `pair.first`; what has another name there has no expression. */
function inContainer(container: Path, member: string): Path {
  const index = /^\[(\d+)\]$/.exec(member)?.[1];
  if (index !== undefined) return stepOf(container, (text) => elementOf(text, index));
  if (!/^[A-Za-z_]\w*$/.test(member)) return rootPath(undefined);
  return stepOf(container, (text) => memberOf({ text }, member, 'c'));
}

/** The value of a map's key, where the key can be written: `depths["east"]`, `names[7]`. */
export function elementOfMap(map: Path, key: string): Path {
  const isWritable = /^("(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_][\w:]*)$/.test(key);
  return isWritable ? stepOf(map, (text) => elementOf(text, key)) : rootPath(undefined);
}

/** An element of an array by gdb's index, which counts from the array's own lower bound. */
export function elementPath(
  language: Language,
  { variable, path }: { variable: VariableObject; path: Path },
  index: string,
): { name: string; path: Path } {
  if (language !== 'fortran') {
    return { name: `[${index}]`, path: stepOf(path, (text) => `${grouped(text)}[${index}]`) };
  }
  const indexes = [index, ...path.indexes];
  const open = dimensions(variable.type).length - 1;
  const name = `(${[...Array.from({ length: open }, () => ':'), ...indexes].join(',')})`;
  const { text, source } = path;
  if (open > 0) return { name, path: { ...path, indexes } };
  return { name, path: rootPath(text && `${text}(${indexes.join(',')})`, source && withSubscripts(path, indexes)) };
}

function withSubscripts({ array, source }: Path, subscripts: readonly string[]): string {
  return array === undefined ? `${source}(${subscripts.join(',')})` : subscripted(array, subscripts);
}

/** The whole of it as one expression for gdb; undefined where there is none. */
export function wholeSource(variable: VariableObject, path: Path): string | undefined {
  const { source, indexes, own } = path;
  if (own !== undefined) return own ?? undefined;
  if (source === undefined) return source;
  if (indexes.length === 0) return /&$/.test(variable.type ?? '') ? `*&(${source})` : source;
  return withSubscripts(path, [...dimensions(variable.type).map(() => ':'), ...indexes]);
}

/** A part of an array of C as one expression for gdb: `count` elements from the one at position `from` (0: the first) on. */
export function slice({ source }: Path, from: number, count: number): string | undefined {
  return source && `${grouped(source)}[${from}]@${count}`;
}

/** As the user would write it: at most ten elements of an array, from the one at position `from` (0: the first) on. */
export function partAsWritten(
  language: Language,
  { variable, path }: { variable: VariableObject; path: Path },
  from: number,
): string | undefined {
  if (path.text === undefined) return undefined;
  const count = Math.min(10, elementCount(variable) - from);
  if (language !== 'fortran') return `${grouped(path.text)}[${from}]@${count}`;
  const low = firstIndex(variable) + from;
  const open = dimensions(variable.type).slice(1);
  return `${path.text}(${[...open.map(() => ':'), `${low}:${low + count - 1}`, ...path.indexes].join(',')})`;
}

export function elementCount({ type, childCount }: VariableObject): number {
  return countOf(type, childCount);
}

/** gdb's index of the first element. */
export function firstIndex(variable: VariableObject): number {
  const bounds = dimensions(variable.type).at(-1) ?? '';
  const low = /^(-?\d+):/.exec(bounds)?.[1];
  return low === undefined ? (isFortranArray(variable.type) ? 1 : 0) : Number(low);
}

export function isArray(variable: VariableObject): boolean {
  // gdb shows an array as its length, also behind a typedef.
  return isFortranArray(variable.type) || /^\[\d+\]$/.test(variable.value ?? '');
}

export function isPointer(variable: VariableObject): boolean {
  return isPointerType(variable.type);
}

export function isNull(variable: VariableObject): boolean {
  return isPointer(variable) && /^0x0\b/.test(variable.value ?? '');
}

function isFortranArray(type: string | undefined): boolean {
  return dimensions(type).length > 0;
}
