/** The handles in the value of an expression: itself, its elements, its members. gdb reads it, we find the handles. */
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { prepareComponents } from '../gdb/python/fortran-components';
import { WouldChangeError } from '../gdb/mi/look';
import { GdbError } from '../gdb/mi/mi-connection';
import { typeOf, varCreate, varDelete, type VariableObject } from '../gdb/variable-objects';
import { isPointerType, lowBounds, sectionOf } from '../expressions/access-path';
import { isOfAssumedSize, whyNotTheWhole } from './assumed-size';
import type { Asked, FoundHandle, Wanted } from './found-handle';
import { PathFinder } from './handle-path';
import { HandleSearch } from './handle-search';
import type { HandleTypes } from '../expressions/handle-types';
import type { Place } from '../expressions/place';

/**
 * Evaluates the expression and finds the handles in it, in memory order, at most mostHandles and then one failure that
 * says so. Rejects with GdbError when gdb cannot evaluate it.
 */
export async function findHandles(
  place: Place,
  asked: Asked,
  types: HandleTypes,
  wanted?: Wanted,
): Promise<FoundHandle[]> {
  const { gdb } = place.thread;
  const made: string[] = [];
  const create = async (source: string): Promise<VariableObject> => {
    await prepareComponents(gdb, source);
    const part = await createVariable(place, source);
    made.push(part.name);
    return part;
  };
  const searched = { ...place, create };
  try {
    const variable = await create(asked.source);
    const paths = new PathFinder(place.language, await lowBoundsOf(place, asked.source), variable.type);
    // In a struct, members that are declared as handles of the kind are what is meant, not its numbers.
    if (wanted !== undefined && !wanted.isFortran && variable.childCount > 0) {
      const declared = new HandleSearch(searched, types, asked, paths, undefined);
      await declared.start(variable);
      const ofKind = declared.result(variable).filter((each) => each.kind === wanted.kind);
      if (ofKind.length > 0) return ofKind;
    }
    if (isOfAssumedSize(variable.type)) {
      const reason = await whyNotTheWhole(variable.type, asked, wanted, (part, of) =>
        findHandles(place, part, types, of),
      );
      return [{ path: `${asked.prefix}${asked.text}`, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
    }
    const search = new HandleSearch(searched, types, asked, paths, wanted);
    await search.start(variable);
    const found = search.result(variable);
    // One reason for all of a struct that is not there, or would have to be asked of the program.
    if (found.some((each) => 'code' in each))
      await dataEvaluateExpression(place.thread, place.frame, asked.source).catch((error: unknown) => {
        if (found.length > 1 || error instanceof WouldChangeError) throw error;
      });
    return found;
  } finally {
    for (const name of made) await varDelete(gdb, name);
  }
}

/** Rejects with GdbError in gdb's words. */
async function createVariable(place: Place, source: string): Promise<VariableObject> {
  const { thread, frame } = place;
  const evaluate = (): Promise<string> => dataEvaluateExpression(thread, frame, source);
  const variable = await varCreate(place, source).catch(async (error: unknown) => {
    // -var-create does not tell why; evaluating the expression does.
    if (error instanceof GdbError) await evaluate();
    throw error;
  });
  try {
    if (hasNoValue(variable)) await evaluate();
    return variable;
  } catch (error) {
    await varDelete(thread.gdb, variable.name);
    throw error;
  }
}

/** gdb knows the type, and perhaps could not evaluate it: what it cannot read of Fortran is an empty array to it. */
export function hasNoValue({ type, value, childCount, dynamic }: VariableObject): boolean {
  if (dynamic) return false;
  if (value === undefined || value === '') return childCount === 0 || isPointerType(type);
  return value === '[0]';
}

/** Of the array that the expression is a section of; what lies backwards is a section of a section for gdb. */
async function lowBoundsOf(place: Place, source: string): Promise<number[]> {
  let section = place.language === 'fortran' ? sectionOf(source) : undefined;
  if (section === undefined) return [];
  for (let outer = sectionOf(section.array); outer !== undefined; outer = sectionOf(section.array)) section = outer;
  try {
    return lowBounds(await typeOf(place, section.array));
  } catch (error) {
    if (error instanceof GdbError) return [];
    throw error;
  }
}
