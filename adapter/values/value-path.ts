/** The expressions that lead to a part of a value: for the user in the language of the frame, and for gdb. */
import { childOfContainer, type Contained } from '../gdb/python/container-functions';
import { dereferenced, elementOf, grouped, memberOf, partOfSection, type Written } from '../expressions/access-path';
import { dimensions } from '../gdb/fortran-type';
import type { Language } from '../expressions/expression';
import { subscripted, type ForwardArray } from '../expressions/fortran-arrays';
import { withComponents } from '../expressions/fortran-names';

/** Where a value is. What is written below it is written with `text` and `source`. */
export interface ValuePath {
  /** As the user would write it; undefined: no expression leads here. */
  text: Written | undefined;
  /** As gdb evaluates it. */
  source: Written;
  /** For a part of a Fortran array: `:` and then the indexes so far, as gdb lists the last dimension first. */
  subscripts?: readonly string[];
  /** The array, in Fortran, whose elements are asked for by their subscripts. */
  array?: ForwardArray;
  /** How the value itself is written, where that is not how its parts are: undefined for what no expression is. */
  own?: { text: string | undefined; source: string | undefined };
  /** Below a base class: names of members that hide those of the base. */
  base?: { name: string; hiding: ReadonlySet<string> };
}

export function rootPath(text: string | undefined, source: string): ValuePath {
  return { text: text === undefined ? undefined : { text }, source: { text: source } };
}

/** The bounds that the subscripts of a section begin with: see partOfSection. */
export interface SectionBounds {
  /** The bounds of the array that the expression is a section of. */
  ofArray: readonly number[];
  /** The bounds of the section itself. */
  own: readonly number[];
}

export const noSection: SectionBounds = { ofArray: [], own: [] };

/** The value as the user would write it. */
export function writtenText({ own, text }: ValuePath): string | undefined {
  return own === undefined ? text?.text : own.text;
}

/** The value as gdb evaluates it; undefined where it has no expression. */
export function sourceText({ own, source }: ValuePath): string | undefined {
  return own === undefined ? source.text : own.source;
}

/** A member of a struct, or a component of a derived type. */
export function memberPath({ text, source, base }: ValuePath, name: string, language: Language): ValuePath {
  const isHidden = base?.hiding.has(name) === true;
  const full = isHidden ? `${base.name}::${name}` : name;
  const step = (whole: Written): Written => ({ text: memberOf(whole, full, language) });
  const forGdb = step(source);
  return {
    text: text && step(text),
    source: language === 'fortran' ? { text: withComponents(forGdb.text) } : forGdb,
  };
}

/** A base class of an object. `members`: the names of the object's own, and of its base classes. */
export function basePath(path: ValuePath, name: string, members: Iterable<string>): ValuePath {
  const cast = (whole: string | undefined, isPointer: boolean): string | undefined =>
    whole && `*(${name} *)${isPointer ? '' : '&'}(${whole})`;
  const { own, text, source, base } = path;
  return {
    ...path,
    own:
      own === undefined
        ? { text: cast(text?.text, text?.arrow === true), source: cast(source.text, source.arrow === true) }
        : { text: cast(own.text, false), source: cast(own.source, false) },
    base: { name, hiding: new Set([...(base?.hiding ?? []), ...members]) },
  };
}

/** A union without a name, whose members are named as if they were those of what it is a part of. */
export function namelessPath(path: ValuePath): ValuePath {
  return { ...path, own: { text: undefined, source: undefined } };
}

/** The struct that a pointer leads to: its members are reached with `->`. */
export function pointeePath(path: ValuePath): ValuePath {
  const { text } = path;
  return { text: text && { text: text.text, arrow: true }, source: { text: sourceText(path) ?? '', arrow: true } };
}

/** What a pointer leads to, as a value of its own. */
export function targetPath(path: ValuePath): ValuePath {
  const { text } = path;
  return {
    text: text && { text: dereferenced(text.text) },
    source: { text: dereferenced(sourceText(path) ?? '') },
  };
}

/** An element of an array of C. */
export function elementPath({ text, source }: ValuePath, index: number): ValuePath {
  const step = (whole: Written): Written => ({ text: elementOf(whole.text, String(index)) });
  return { text: text && step(text), source: step(source) };
}

/** The part of an array of Fortran with this index in the last dimension that is left; `count`: of those, this one included. */
export function subscriptedPath(path: ValuePath, index: string, count: number, section: SectionBounds): ValuePath {
  const before = path.subscripts ?? Array.from({ length: count }, () => ':');
  const subscripts = before.with(before.lastIndexOf(':'), index);
  const text = path.text && withSubscripts(path.text.text, subscripts, section);
  const { array } = path;
  const source = array === undefined ? `${path.source.text}(${subscripts.join(',')})` : subscripted(array, subscripts);
  return count > 1 ? { ...path, subscripts, own: { text, source } } : rootPath(text, source);
}

/** `count` elements of an array of this type from the index `first` on, as the user would write them. */
export function writtenElements(
  { text, subscripts }: ValuePath,
  language: Language,
  { type, first, count }: { type: string | undefined; first: number; count: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (language !== 'fortran') return `${grouped(text.text)}[${first}]@${count}`;
  const all = subscripts ?? dimensions(type).map(() => ':');
  return `${text.text}(${all.with(all.lastIndexOf(':'), `${first}:${first + count - 1}`).join(',')})`;
}

/** What a pretty printer shows at this position; `as` undefined: no expression leads there. */
export function containedPath(
  path: ValuePath,
  position: number,
  { name, as }: { name: string; as: Contained | undefined },
): ValuePath {
  const source = { text: childOfContainer(sourceText(path) ?? '', position) };
  const { text } = path;
  if (text === undefined) return { text, source };
  switch (as?.kind) {
    case undefined:
      return { text: undefined, source };
    case 'index':
      return { text: { text: elementOf(text.text, as.index) }, source };
    case 'member':
      return { text: { text: memberOf(text, name, 'c') }, source };
    case 'value':
      return { text: { text: dereferenced(text.text) }, source };
    case 'pointer':
      // The pointer itself could only be asked for by a call; what it leads to is written with the object.
      return { text, source, own: { text: undefined, source: source.text } };
  }
}

function withSubscripts(text: string, subscripts: readonly string[], section: SectionBounds): string {
  return (
    partOfSection(text, subscripts, section.ofArray) ??
    elementOfSlice(text, subscripts, section.own) ??
    `${text}(${subscripts.join(',')})`
  );
}

/** The element of `a(2)@3`, an array that begins there. */
function elementOfSlice(text: string, subscripts: readonly string[], [low]: readonly number[]): string | undefined {
  const [, array, first] = /^(.+)\(\s*(-?\d+)\s*\)\s*@\s*\d+$/s.exec(text) ?? [];
  if (array === undefined || subscripts.length !== 1 || subscripts[0] === ':') return undefined;
  return `${array}(${Number(first) + Number(subscripts[0]) - (low ?? 0)})`;
}
