/** What leads from an expression to a handle in its value. */
import { childOfContainer } from '../gdb/python/container-functions';
import type { VariableObject } from '../gdb/variable-objects';
import { elementOf, elementOfSection, isPointerType, lowBounds, memberOf } from '../expressions/access-path';
import type { Language } from '../expressions/expression';
import { subscripted, type ForwardArray } from '../expressions/fortran-arrays';
import { withComponents } from '../expressions/fortran-names';

/** Fortran's indexes are collected, since gdb lists the last dimension first. */
export interface Path {
  /** As the user would write it, without the prefix of the kind. */
  text: string;
  /** As gdb evaluates it. */
  source: string;
  indexes: readonly string[];
  /** Of a part of a Fortran array: as the array's elements are read. */
  array?: ForwardArray;
  /** Nothing but pointers and containers of one value has led here. */
  isRoot?: true;
  /** `text` is a pointer or a container of one value, whose members are reached with `->`; the same of `source`. */
  arrow?: { text: boolean; source: boolean };
  /** gdb has no path of its own to what a pretty printer leads to. */
  inContainer?: true;
  /** `text` does not lead here: the key of a map, and what is below one that cannot be written. */
  isUnwritable?: true;
  /** Of the first base of an object: the object, which begins where its first base does. */
  object?: VariableObject;
}

export class PathFinder {
  constructor(
    private readonly language: Language,
    /** Of the array that the expression is a section of, if it is one. */
    private readonly lowBoundsOfArray: readonly number[],
    /** What gdb tells of the expression's value. */
    private readonly rootType: string | undefined,
  ) {}

  /** Of a column the dimensions that are left out are those before. */
  written(path: Path): string {
    return this.withIndexes(path.text, path.indexes);
  }

  /** The same for gdb; `indexes`: of what is below, too. */
  evaluated(path: Path, indexes: readonly string[] = []): string {
    const all = [...path.indexes, ...indexes].reverse();
    if (all.length === 0) return path.source;
    return path.array === undefined ? `${path.source}(${all.join(',')})` : subscripted(path.array, all);
  }

  /** `position` among `siblings`. */
  child(parent: VariableObject, siblings: readonly VariableObject[], position: number, at: Path): Path {
    const child = siblings[position]!;
    if (parent.dynamic) return this.inContainer(parent, siblings, position, at);
    const { expression: name, type } = child;
    // "public" and "private" group the members of a class; base classes and anonymous unions have no name to write.
    const isBase = type?.replace(/^(class|struct) /, '') === name;
    const arrow = at.arrow ?? (isPointerType(parent.type) ? { text: true, source: true } : undefined);
    const here = arrow === undefined ? at : { ...at, arrow };
    if (isBase && position === 0) return { ...here, object: at.object ?? parent };
    if (isBase || type === undefined || name.startsWith('<')) {
      const { object: _, ...rest } = here;
      return rest;
    }
    if (/^-?\d+$/.test(name)) {
      if (this.language === 'fortran') return { ...below(at), ...at, indexes: [...at.indexes, name] };
      return { ...below(at), text: elementOf(at.text, name), source: elementOf(at.source, name) };
    }
    const text = { text: this.written(at), arrow: here.arrow?.text === true };
    const source = { text: this.evaluated(at), arrow: here.arrow?.source === true };
    return {
      ...below(at),
      text: memberOf(text, name, this.language),
      source: this.language === 'fortran' ? withComponents(`${source.text}%${name}`) : memberOf(source, name, 'c'),
    };
  }

  private inContainer(parent: VariableObject, siblings: readonly VariableObject[], position: number, at: Path): Path {
    const { expression: name, type } = siblings[position]!;
    const source = childOfContainer(at.source, position);
    const path: Path = { ...below(at), text: at.text, source, inContainer: true };
    if (parent.displayHint === 'map') {
      const key = position % 2 === 0 ? undefined : keyText(siblings[position - 1]!.value);
      const isFirst = siblings.findIndex(({ value }, i) => i % 2 === 0 && value === siblings[position - 1]?.value);
      if (key === undefined || isFirst !== position - 1) return { ...path, isUnwritable: true };
      return { ...path, text: elementOf(at.text, key) };
    }
    if (/^\[\d+\]$/.test(name)) return { ...path, text: elementOf(at.text, name.slice(1, -1)) };
    if (/^[A-Za-z_]\w*$/.test(name)) {
      return { ...path, text: memberOf({ text: at.text, arrow: at.arrow?.text === true }, name, this.language) };
    }
    // A smart pointer or an optional.
    const arrow = { text: true, source: isPointerType(type) };
    return { ...path, arrow, ...(at.isRoot && { isRoot: true }) };
  }

  private withIndexes(text: string, indexes: readonly string[]): string {
    if (indexes.length === 0) return text;
    const inOrder = [...indexes].reverse();
    const inSection = elementOfSection(text, inOrder, this.lowBoundsOfArray) ?? this.elementOfSlice(text, inOrder);
    return inSection ?? `${text}(${inOrder.join(',')})`;
  }

  /** Of `a(2)@3`, an array that begins there. */
  private elementOfSlice(text: string, indexes: readonly string[]): string | undefined {
    const [, array, first] = /^(.+)\(\s*(-?\d+)\s*\)\s*@\s*\d+$/s.exec(text) ?? [];
    const [low] = lowBounds(this.rootType);
    if (array === undefined || indexes.length !== 1) return undefined;
    return `${array}(${Number(first) + Number(indexes[0]) - (low ?? 0)})`;
  }
}

function below(at: Path): Path {
  return {
    text: at.text,
    source: at.source,
    indexes: [],
    ...(at.inContainer && { inContainer: true }),
    ...(at.isUnwritable && { isUnwritable: true }),
  };
}

/** A key of a map as one writes it: `"east"`, `4`, `true`, `color::red`; of `97 'a'` the number. */
function keyText(value: string | undefined): string | undefined {
  return /^(?:"(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_][\w:]*)(?= '|$)/.exec(value ?? '')?.[0];
}
