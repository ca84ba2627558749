/** Opens the value of an expression: what gdb needs to list its parts. */
import { evaluated } from '../expressions/containers';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import type { GdbValue } from '../gdb/mi/value';
import { NoPythonError } from '../gdb/python/run-python';
import { isPointerType } from '../gdb/value-type';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { UnknownTypeError, type VariableObject } from '../gdb/variable-objects';
import { evaluatedOnce } from './evaluated-once';
import { describedArray } from './fortran-parts';
import { creator, type Reading } from './reading';
import { sliceInPlace } from './slice-in-place';
import type { Part } from './value-parts';
import { rootPath, type ValuePath } from './value-path';

/** `source`: as gdb reads it; `text`: as the user would write it. Where gdb cannot read it so, it is tried in other words, and used again. */
export async function opened<Result>(
  reading: Reading,
  source: string,
  text: string | undefined,
  use: (part: Part) => Promise<Result>,
): Promise<Result> {
  const { thread, frame } = reading.evalFrame;
  const open = async (each: string): Promise<Result> => {
    const value = await evaluatedOnce(reading.evalFrame, each);
    const path = rootPath(text, value);
    const evaluate = (): Promise<GdbValue> => dataEvaluateExpression(thread, frame, value);
    const created = await reading
      .create(reading.evalFrame, value)
      .then((variable) => ({ variable, path }))
      .catch(async (error: unknown) => {
        if (error instanceof UnknownTypeError) return inDescriptor(reading, path, error);
        // -var-create gives no reason; evaluating the expression does.
        if (error instanceof GdbError) await evaluate();
        throw error;
      });
    if (hasNoValue(created.variable)) await evaluate();
    await checkReached(reading.evalFrame, created.variable, value);
    const part: Part = { ...created, name: text ?? source, step: { kind: 'root' } };
    return use(part);
  };
  return evaluated({ gdb: thread.gdb, language: reading.evalFrame.language }, source, async (each) => {
    try {
      return await open(each);
    } catch (error) {
      if (!(error instanceof GdbError && error.failure.reason === 'tooLong')) throw error;
      const inPlace = await sliceInPlace(reading.evalFrame, each, creator(reading));
      if (inPlace === undefined) throw error;
      return open(inPlace);
    }
  });
}

/** Rejects with `error` where the descriptor does not tell either. */
async function inDescriptor(
  reading: Reading,
  path: ValuePath,
  error: UnknownTypeError,
): ReturnType<typeof describedArray> {
  try {
    return await describedArray(path, path.source.text, creator(reading));
  } catch (why) {
    if (why instanceof GdbError || why instanceof NoPythonError) throw error;
    throw why;
  }
}

/** A row of a large array: gdb takes its type for an answer where its index leads too far. Rejects with GdbError. */
async function checkReached({ thread, frame, language }: EvaluationFrame, { value }: VariableObject, source: string) {
  if (language === 'fortran' || value.kind !== 'array' || !source.includes('[')) return;
  try {
    await dataEvaluateExpression(thread, frame, `&(${source})`);
  } catch (error) {
    if (!(error instanceof GdbError) || error.failure.reason === 'noElement') throw error;
  }
}

/** gdb knows the type but perhaps could not evaluate it: it shows unreadable Fortran values as empty arrays. */
function hasNoValue({ type, value, childCount, dynamic }: VariableObject): boolean {
  if (dynamic) return false;
  if (value.kind === 'none') return childCount === 0 || isPointerType(type);
  return value.kind === 'array' && value.count === 0;
}
