/** The handles in the value of an expression: itself, its elements, its members. */
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { prepareComponents } from '../gdb/python/fortran-components';
import { WouldChangeError } from '../gdb/mi/read-only';
import { GdbError } from '../gdb/mi/mi-connection';
import { varCreate, varDelete } from '../gdb/variable-objects';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { isOfAssumedSize, whyNotTheWhole } from './assumed-size';
import type { Asked, FoundHandle, Wanted } from './found-handle';
import { HandleSearch } from './handle-search';
import { ValueNode } from './value-node';
import type { Reading } from './reading';

/**
 * Evaluates the expression and finds the handles in it, in memory order: see HandleSearch.search. Rejects with GdbError
 * when gdb cannot evaluate it.
 */
export async function findHandles(
  evalFrame: EvaluationFrame,
  asked: Asked,
  known: Pick<Reading, 'meaningOf' | 'smallestHandle' | 'kindOfNumbers'>,
  wanted?: Wanted,
): Promise<FoundHandle[]> {
  const { gdb } = evalFrame.thread;
  const made: string[] = [];
  const create: Reading['create'] = async (at, source) => {
    await prepareComponents(gdb, source);
    const variable = await varCreate(at, source);
    made.push(variable.name);
    return variable;
  };
  try {
    const root = await ValueNode.ofExpression({ evalFrame, create, ...known }, asked.source, asked.text);
    // In a struct, the user means members that are declared as handles of the kind, not its numbers.
    if (wanted !== undefined && !wanted.isFortran && root.shape.kind !== 'scalar') {
      const declared = await new HandleSearch(asked, undefined).search(root);
      const ofKind = declared.filter(({ handleKind }) => handleKind === wanted.kind);
      if (ofKind.length > 0) return ofKind;
    }
    if (isOfAssumedSize(root.type)) {
      const reason = await whyNotTheWhole(root.type, asked, wanted, (part, of) =>
        findHandles(evalFrame, part, known, of),
      );
      return [{ kind: 'failure', path: `${asked.prefix}${asked.text}`, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
    }
    const found = await new HandleSearch(asked, wanted).search(root);
    // A struct that is not there, or that only the program could be asked for, gives one reason for all its parts.
    if (found.some(({ kind }) => kind === 'failure'))
      await dataEvaluateExpression(evalFrame.thread, evalFrame.frame, root.source ?? asked.source).catch(
        (error: unknown) => {
          const isTooLong = error instanceof GdbError && error.failure.reason === 'tooLong';
          if ((found.length > 1 && !isTooLong) || error instanceof WouldChangeError) throw error;
        },
      );
    return found;
  } finally {
    for (const name of made) await varDelete(gdb, name);
  }
}
