/** The parts of a value as gdb lists them, with what leads to each of them. */
import { containedAs, keyOfMap } from '../gdb/python/container-functions';
import { GdbError } from '../gdb/mi/mi-connection';
import { textOfStruct } from '../gdb/mi/value';
import { isBaseClass } from '../gdb/value-type';
import { varListChildren, type VariableObject } from '../gdb/variable-objects';
import { dimensions } from '../gdb/fortran-type';
import { grouped } from '../expressions/access-path';
import type { ForwardArray } from '../expressions/fortran-arrays';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { elementsOf, type Create } from './fortran-parts';
import {
  basePath,
  containedPath,
  elementPath,
  memberPath,
  namelessPath,
  pointeePath,
  sourceText,
  subscriptedPath,
  targetPath,
  type SectionBounds,
  type ValuePath,
} from './value-path';
import type { Shape } from './value-shape';

/** How a part relates to its parent value. */
export type Step =
  | { kind: 'root' }
  | { kind: 'member' }
  /** `isFirst`: it begins where the object begins. */
  | { kind: 'base'; isFirst: boolean }
  /** A union without a name. */
  | { kind: 'nameless' }
  | { kind: 'element' }
  /** What a pointer leads to. */
  | { kind: 'target' }
  /** An entry of a map; its key is a part, too. */
  | { kind: 'entry'; key: string }
  /** What a pretty printer shows; `isElement`: of a list; `isOnly`: of what holds one value, such as a smart pointer. */
  | { kind: 'contained'; isElement: boolean; isOnly: boolean };

export interface Part {
  variable: VariableObject;
  path: ValuePath;
  /** As shown to the user: "comm", "[3]", "(:,2)", "*pointer", `["east"]`. */
  name: string;
  step: Step;
  /** The key, for an entry of a map. */
  key?: Part;
}

/** The value whose parts are asked for. */
export interface Whole extends Omit<Part, 'step' | 'key'> {
  evalFrame: EvaluationFrame;
  create: Create;
  shape: Shape;
}

/** Parts `from` (included) to `to` (not included). */
export interface Range {
  from: number;
  to: number;
}

/** To list the first elements of a C array, gdb creates all of them; those of long arrays are taken from a slice. */
const longArray = 1000;

/** Members of a struct or class with its base classes, or of what a pointer leads to; the target of any other pointer. */
export async function membersOf(whole: Whole, to: number): Promise<Part[]> {
  const { evalFrame, variable, shape, name } = whole;
  const direct = await varListChildren(evalFrame, variable, 0, to);
  const [first] = direct;
  const isPointer = shape.kind === 'pointer';
  if (isPointer && first?.expression.startsWith('*'))
    return [{ variable: first, path: targetPath(whole.path), name: `*${name}`, step: { kind: 'target' } }];
  // gdb groups the members of a class by access, after its base classes.
  const groups = direct.filter(isAccessGroup);
  const grouped = await Promise.all(
    groups.map((group) => varListChildren(evalFrame, { ...variable, name: group.name }, 0, to)),
  );
  const bases = direct
    .filter((child) => groups.length > 0 || isBaseClass(child))
    .filter((each) => !isAccessGroup(each));
  const members = groups.length > 0 ? grouped.flat() : direct.filter((child) => !bases.includes(child));
  const path = isPointer && evalFrame.language !== 'fortran' ? pointeePath(whole.path) : whole.path;
  const names = members.map(({ expression }) => expression);
  return [
    ...bases.map((child, i): Part => {
      const at = basePath(path, child.expression, names);
      return { variable: child, path: at, name: child.expression, step: { kind: 'base', isFirst: i === 0 } };
    }),
    ...members.map((child) => memberPart(evalFrame, path, child)),
  ];
}

function memberPart({ language }: EvaluationFrame, path: ValuePath, variable: VariableObject): Part {
  const name = variable.expression;
  if (name.startsWith('<')) return { variable, path: namelessPath(path), name, step: { kind: 'nameless' } };
  return { variable, path: memberPath(path, name, language), name, step: { kind: 'member' } };
}

function isAccessGroup({ type, expression }: VariableObject): boolean {
  return type === undefined && ['public', 'protected', 'private'].includes(expression);
}

/** Elements of an array of C. */
export async function elementsOfC(whole: Whole, count: number, { from, to }: Range): Promise<Part[]> {
  const { evalFrame, variable, path } = whole;
  const source = sourceText(path);
  // Also beyond 4 GiB, where gdb reaches no element by its index.
  const slice = count > longArray && source !== undefined ? `*(${grouped(source)} + ${from})@${to - from}` : undefined;
  const listed = async (): Promise<VariableObject[]> => {
    if (slice === undefined) return varListChildren(evalFrame, variable, from, to);
    try {
      return await varListChildren(evalFrame, await whole.create(slice), 0, to - from);
    } catch (error) {
      // A value that is not in memory has no slices.
      if (error instanceof GdbError) return varListChildren(evalFrame, variable, from, to);
      throw error;
    }
  };
  return (await listed()).map((element, i) => {
    const at = elementPath(path, from + i);
    return { variable: element, path: at, name: `[${from + i}]`, step: { kind: 'element' } };
  });
}

/** Elements of an array of Fortran, or its parts by the last dimension. `array`: undefined where gdb's own are right. */
export async function elementsOfFortran(
  whole: Whole,
  { array, first, section }: { array: ForwardArray | undefined; first: number; section: SectionBounds },
  range: Range,
): Promise<Part[]> {
  const { evalFrame, variable } = whole;
  const path = array === undefined ? whole.path : { ...whole.path, array };
  const indexes = path.subscripts?.filter((each) => each !== ':') ?? [];
  const elements =
    (array && (await elementsOf(evalFrame, array, indexes, { ...range, create: whole.create }))) ??
    (await varListChildren(evalFrame, variable, range.from, range.to));
  const left = Math.max(1, dimensions(variable.type).length);
  return elements.map((element, i) => {
    const index = String(first + range.from + i);
    const open = Array.from({ length: left - 1 }, () => ':');
    const name = `(${[...open, index, ...indexes].join(',')})`;
    const at = subscriptedPath(path, index, left, section);
    return { variable: element, path: at, name, step: { kind: 'element' } };
  });
}

/** What a pretty printer shows. */
export async function contentsOf(whole: Whole, { from, to }: Range): Promise<Part[]> {
  const { evalFrame, variable, path } = whole;
  const children = await varListChildren(evalFrame, variable, from, to);
  return children.map((child, i) => {
    const name = child.expression;
    const as = containedAs(name);
    const step: Step = {
      kind: 'contained',
      isElement: as?.kind === 'index',
      isOnly: as?.kind === 'pointer' || as?.kind === 'value',
    };
    return { variable: child, path: containedPath(path, from + i, { name, as }), name, step };
  });
}

/** The entries of a map: gdb lists keys and values in turn. */
export async function entriesOf(whole: Whole, { from, to }: Range): Promise<Part[]> {
  const { evalFrame, variable, path } = whole;
  const children = await varListChildren(evalFrame, variable, 2 * from, 2 * to);
  const keys = children.filter((_, i) => i % 2 === 0);
  return keys.slice(0, Math.floor(children.length / 2)).map((key, i) => {
    const position = 2 * (from + i);
    const text = key.value.kind === 'none' ? textOfStruct : key.value.text;
    const index = keyOfMap(key.value);
    // If several entries have the same key, the key leads to the first.
    const isFirst = keys.findIndex(({ value }) => value.text === key.value.text) === i;
    const as = index !== undefined && isFirst ? ({ kind: 'index', index } as const) : undefined;
    const name = `[${text}]`;
    const ofKey = containedPath(path, position, { name, as: undefined });
    return {
      variable: children[2 * i + 1]!,
      path: containedPath(path, position + 1, { name, as }),
      name,
      step: { kind: 'entry', key: text },
      key: { variable: key, path: ofKey, name: text, step: { kind: 'contained', isElement: false, isOnly: false } },
    };
  });
}
