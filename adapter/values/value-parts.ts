/** The parts of a value: gdb's children of a variable object, but for arrays of Fortran, whose own it gets wrong. */
import { objectOf } from '../gdb/python/fortran-components';
import { GdbError } from '../gdb/mi/mi-connection';
import { NoPythonError } from '../gdb/python/stop-script';
import { varListChildren, type VariableObject } from '../gdb/variable-objects';
import { withBounds, type Bounds } from '../expressions/access-path';
import { arrayOfType, classOf, ascendingPart, subscripted, type ForwardArray } from '../expressions/fortran-arrays';
import type { Place } from '../expressions/place';

/** Where a value is, for gdb. */
export interface Source {
  /** undefined: gdb has no expression for it. */
  source: string | undefined;
  /** Of an array that is being descended into: as its elements are read. */
  array?: ForwardArray | undefined;
  /** Of the dimensions that are fixed, in the order of the subscripts: the last ones. */
  indexes: readonly string[];
}

/** Makes a variable object, and deletes it in the end. Rejects with GdbError. */
export type Create = (source: string) => Promise<VariableObject>;

/** The value as an array of Fortran whose elements are asked for by their subscripts; undefined: it is none. */
export async function arrayOf(
  place: Place,
  variable: VariableObject,
  { source, array }: Source,
): Promise<ForwardArray | undefined> {
  if (place.language !== 'fortran' || source === undefined) return undefined;
  return array ?? arrayOfType(place, source, variable.type);
}

/** What a CLASS is at this moment, or the array of what it is; undefined: it is none, or nothing is there. */
export async function objectIn(
  place: Place,
  { type }: VariableObject,
  source: string | undefined,
  create: Create,
): Promise<{ variable: VariableObject; source: string; array?: ForwardArray } | undefined> {
  const polymorphic = place.language === 'fortran' ? classOf(type) : undefined;
  if (polymorphic === undefined || source === undefined) return undefined;
  const object = polymorphic.isArray ? `${source}%_data` : objectOf(source);
  try {
    const array = polymorphic.isArray ? await arrayOfType(place, source, type) : undefined;
    return { variable: await create(object), source: object, ...(array && { array }) };
  } catch (error) {
    if (error instanceof GdbError || error instanceof NoPythonError) return undefined;
    throw error;
  }
}

/**
 * Parts `from` (included) to `to` (not included). Those of an array are named by their last subscript. `array`: what
 * arrayOf tells of the value.
 */
export async function partsOf(
  place: Place,
  variable: VariableObject,
  { array, indexes }: Pick<Source, 'array' | 'indexes'>,
  range: { from: number; to: number; create: Create },
): Promise<VariableObject[]> {
  const { from, to, create } = range;
  if (array === undefined) return varListChildren(place, variable, from, to);
  const open = array.dimensions.slice(0, array.dimensions.length - indexes.length);
  const last = open.pop();
  if (last === undefined) return varListChildren(place, variable, from, to);
  const count = Math.min(to, last.high - last.low + 1) - from;
  const wanted = Array.from({ length: Math.max(0, count) }, (_, i) => last.low + from + i);
  if (wanted.length === 0) return [];
  // gdb counts the rows of an array that is not contiguous by its bytes.
  if (open.length > 0) return Promise.all(wanted.map((index) => row(array, open, [String(index), ...indexes], create)));
  const section = ascendingPart(array, [{ low: wanted[0]!, high: wanted.at(-1)! }], indexes);
  const listed = await varListChildren(place, await create(section), 0, wanted.length);
  const elements = last.isBackwards ? listed.reverse() : listed;
  return Promise.all(
    elements.map(async (element, i) => {
      const expression = String(wanted[i]);
      // What components of the others point to, gdb looks up in the first element.
      const isDerived = /^Type /i.test(element.type ?? '');
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
