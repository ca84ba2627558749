/** Expressions and names for the parts of a variable, in the language of its frame. */
import type { VariableObject } from '../gdb/variable-objects';
import {
  dereferenced,
  dimensions,
  elementCount as countOf,
  elementOf,
  grouped,
  isPointerType,
  memberOf,
} from '../query/access-path';
import type { Language } from '../query/expression';

/** Where a variable is: an expression that evaluates to it, and for a part of a Fortran array the indexes so far. */
export interface Path {
  /** undefined: it cannot be written as an expression. */
  text: string | undefined;
  /** Of a Fortran array that is being descended into: the last dimension comes first, as gdb lists it. */
  indexes: readonly string[];
  /** What is a part of an object without a name of its own (a base class): how it is written. null: it cannot be. */
  own?: string | null;
}

export const rootPath = (text: string | undefined): Path => ({ text, indexes: [] });

/** The path of a child, and the name it is shown with. */
export function childPath(
  language: Language,
  parent: { variable: VariableObject; path: Path; name: string },
  child: VariableObject,
): { name: string; path: Path } {
  const { variable, path } = parent;
  const member = child.expression;
  if (path.text === undefined) return { name: member, path: rootPath(undefined) };
  if (variable.dynamic) return { name: member, path: inContainer(path.text, member) };
  if (isArray(variable)) return elementPath(language, parent, member);
  if (isPointer(variable) && member.startsWith('*')) {
    return { name: `*${parent.name}`, path: rootPath(dereferenced(path.text)) };
  }
  // A base class, or a union without a name: its members are named as if they were the parent's.
  if (child.type === member || member.startsWith('<')) {
    const whole = path.own ?? path.text;
    const own = child.type === member ? `*(${member} *)${isPointer(variable) ? '' : '&'}(${whole})` : null;
    return { name: member, path: { ...path, own } };
  }
  const separator = language === 'fortran' ? '%' : isPointer(variable) ? '->' : '.';
  return { name: member, path: rootPath(`${grouped(path.text)}${separator}${member}`) };
}

/** What a pretty printer shows: `v[1]`, `pair.first`; what has another name there has no expression. */
function inContainer(container: string, member: string): Path {
  const index = /^\[(\d+)\]$/.exec(member)?.[1];
  if (index !== undefined) return rootPath(elementOf(container, index));
  return rootPath(/^[A-Za-z_]\w*$/.test(member) ? memberOf({ text: container }, member, 'c') : undefined);
}

/** The value of a map's key, where the key can be written: `depths["east"]`, `names[7]`. */
export function elementOfMap({ text }: Path, key: string): Path {
  const isWritable = text !== undefined && /^("(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_][\w:]*)$/.test(key);
  return rootPath(isWritable ? elementOf(text, key) : undefined);
}

/** An element of an array by gdb's index, which counts from the array's own lower bound. */
export function elementPath(
  language: Language,
  { variable, path }: { variable: VariableObject; path: Path },
  index: string,
): { name: string; path: Path } {
  if (language !== 'fortran') {
    return { name: `[${index}]`, path: rootPath(path.text && `${grouped(path.text)}[${index}]`) };
  }
  const indexes = [index, ...path.indexes];
  const open = dimensions(variable.type).length - 1;
  const name = `(${[...Array.from({ length: open }, () => ':'), ...indexes].join(',')})`;
  if (open > 0) return { name, path: { text: path.text, indexes } };
  return { name, path: rootPath(path.text && `${path.text}(${indexes.join(',')})`) };
}

/** The whole of it as one expression; undefined where there is none. */
export function wholeText(variable: VariableObject, { text, indexes, own }: Path): string | undefined {
  if (own !== undefined) return own ?? undefined;
  if (text === undefined) return text;
  if (indexes.length === 0) return /&$/.test(variable.type ?? '') ? `*&(${text})` : text;
  return `${text}(${[...dimensions(variable.type).map(() => ':'), ...indexes].join(',')})`;
}

/** A part of an array as one expression: `count` elements from the one at position `from` (0: the first) on. */
export function slice(
  language: Language,
  { variable, path }: { variable: VariableObject; path: Path },
  from: number,
  count: number,
): string | undefined {
  if (path.text === undefined) return undefined;
  if (language !== 'fortran') return `${grouped(path.text)}[${from}]@${count}`;
  const low = firstIndex(variable) + from;
  const open = dimensions(variable.type)
    .slice(1)
    .map(() => ':');
  return `${path.text}(${[...open, `${low}:${low + count - 1}`, ...path.indexes].join(',')})`;
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
