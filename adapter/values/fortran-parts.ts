/** The parts of a value that gdb gets wrong: elements of Fortran arrays, and the dynamic type of a CLASS. */
import { GdbError } from '../gdb/mi/mi-connection';
import { objectOf } from '../gdb/python/fortran-components';
import { arrayByDescriptor } from '../gdb/python/fortran-descriptors';
import { NoPythonError } from '../gdb/python/run-python';
import { typeOf, varListChildren, type VariableObject } from '../gdb/variable-objects';
import { isDerivedType, lowBounds, withBounds, type Bounds } from '../gdb/fortran-type';
import { sectionOf } from '../expressions/access-path';
import { arrayOfType, ascendingPart, subscripted, type ForwardArray } from '../expressions/fortran-arrays';
import { classOf } from '../gdb/fortran-type';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { targetOfType } from '../expressions/fortran-targets';
import { noSection, sourceText, type SectionBounds, type ValuePath } from './value-path';

/** Makes a variable object, and deletes it in the end. Rejects with GdbError. */
export type Create = (source: string) => Promise<VariableObject>;

/**
 * What a CLASS is at this moment, or the array of what it is, a component that gdb does not know, and the number or LOGICAL that a
 * POINTER or ALLOCATABLE leads to; undefined: it is none, or nothing is there.
 */
export async function objectIn(
  evalFrame: EvaluationFrame,
  variable: VariableObject,
  path: ValuePath,
  create: Create,
): Promise<{ variable: VariableObject; path: ValuePath } | undefined> {
  const { type } = variable;
  const isFortran = evalFrame.language === 'fortran';
  const polymorphic = isFortran ? classOf(type) : undefined;
  const source = sourceText(path);
  const isUnknown = isFortran && type === '';
  // Who asks gdb for an address gets it.
  const isAddress = (path.text ?? path.source).text.trimStart().startsWith('&');
  const mayBePointed = isFortran && leadsSomewhere(variable) && !isAddress && source !== undefined;
  const target = mayBePointed ? targetOfType(source, type ?? '') : undefined;
  const isKnown = polymorphic === undefined && target === undefined && !isUnknown;
  if (isKnown || source === undefined) return undefined;
  const isInDescriptor = isUnknown || (polymorphic?.isArray === true && polymorphic.isUnlimited);
  try {
    if (isInDescriptor) return await describedArray(path, source, create);
    if (target !== undefined) return await readBy(path, target, create);
    const object = polymorphic?.isArray === true ? `${source}%_data` : objectOf(source);
    const array = polymorphic?.isArray === true ? await arrayOfType(evalFrame, source, type) : undefined;
    const opened = await create(object);
    return { variable: opened, path: { text: path.text, source: { text: object }, ...(array && { array }) } };
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError) return undefined;
    throw error;
  }
}

function leadsSomewhere({ value }: VariableObject): boolean {
  return value.kind === 'pointer' && value.address !== 0n;
}

/** An array that gdb does not know, but its descriptor does. Rejects with GdbError where that does not tell either. */
export async function describedArray(
  path: ValuePath,
  source: string,
  create: Create,
): Promise<{ variable: VariableObject; path: ValuePath }> {
  return readBy(path, arrayByDescriptor(source), create);
}

async function readBy({ text }: ValuePath, source: string, create: Create): ReturnType<typeof describedArray> {
  const variable = await create(source);
  // gdb makes a variable object even where there is no value.
  if (variable.value.kind === 'none') throw new GdbError(`${source} has no value`, source);
  return { variable, path: { text, source: { text: source } } };
}

/**
 * For the elements `from` (included) to `to` (not included) of the last dimension that is left; undefined: gdb's own are
 * right.
 */
export async function elementsOf(
  evalFrame: EvaluationFrame,
  array: ForwardArray,
  indexes: readonly string[],
  range: { from: number; to: number; create: Create },
): Promise<VariableObject[] | undefined> {
  const { from, to, create } = range;
  const open = array.dimensions.slice(0, array.dimensions.length - indexes.length);
  const last = open.pop();
  if (last === undefined) return undefined;
  const count = Math.min(to, last.high - last.low + 1) - from;
  const wanted = Array.from({ length: Math.max(0, count) }, (_, i) => last.low + from + i);
  if (wanted.length === 0) return [];
  // gdb counts the rows of an array that is not contiguous by its bytes.
  if (open.length > 0) return Promise.all(wanted.map((index) => row(array, open, [String(index), ...indexes], create)));
  const section = ascendingPart(array, [{ low: wanted[0]!, high: wanted.at(-1)! }], indexes);
  const listed = await varListChildren(evalFrame, await create(section), 0, wanted.length);
  const elements = last.isBackwards ? listed.reverse() : listed;
  return Promise.all(
    elements.map(async (element, i) => {
      const expression = String(wanted[i]);
      // What components of the others point to, gdb looks up in the first element.
      const isDerived = isDerivedType(element.type);
      const made = isDerived ? await create(subscripted(array, [expression, ...indexes])) : element;
      return { ...made, expression };
    }),
  );
}

/** With the bounds of the array: those of a section begin with 1. */
async function row(
  array: ForwardArray,
  open: readonly Bounds[],
  indexes: readonly string[],
  create: Create,
): Promise<VariableObject> {
  const made = await create(ascendingPart(array, open, indexes));
  return { ...made, type: withBounds(made.type, open), expression: indexes[0]! };
}

/** The bounds of an array that may be asked for as a section of another; what lies backwards is a section of a section for gdb. */
export async function sectionBounds(
  evalFrame: EvaluationFrame,
  { text, source }: ValuePath,
  type: string | undefined,
): Promise<SectionBounds> {
  if (text === undefined || !/[:@]/.test(text.text)) return noSection;
  const own = lowBounds(type);
  let section = sectionOf(source.text);
  for (let outer = section && sectionOf(section.array); outer !== undefined; outer = sectionOf(section.array))
    section = outer;
  if (section === undefined) return { ofArray: [], own };
  try {
    return { ofArray: lowBounds(await typeOf(evalFrame, section.array)), own };
  } catch (error) {
    if (error instanceof GdbError) return { ofArray: [], own };
    throw error;
  }
}
