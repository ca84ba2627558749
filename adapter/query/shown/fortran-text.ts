/** What gdb does not tell of a CHARACTER, and of arguments that are not there. */
import { addressOf, dataEvaluateExpression } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { GdbValue } from '../../gdb/mi/value';
import { deferredText } from '../../gdb/python/deferred-text';
import { boundsOf } from '../../gdb/fortran-type';
import { prepareComponents } from '../../gdb/python/fortran-components';
import { postfixSteps } from '../../expressions/access-path';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';

/** What a pointer to a CHARACTER leads to; undefined where gdb cannot read it. */
export async function textOfTarget({ thread, frame }: EvaluationFrame, source: string): Promise<GdbValue | undefined> {
  try {
    const text = deferredText(source);
    await prepareComponents(thread.gdb, text);
    return await dataEvaluateExpression(thread, frame, text);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/**
 * Whether this is an OPTIONAL argument that was not passed and in which gdb finds nothing wrong, because it reads none of it: a
 * `character(*)`, or an array whose bounds, which are garbage then, leave no elements or more than gdb would read.
 */
export async function isAbsentArgument(
  { thread, frame, language }: EvaluationFrame,
  source: string,
  { type, text }: { type: string | undefined; text: string },
): Promise<boolean> {
  const isOfText = text === "''" && /^character\b/i.test(type ?? '');
  if (language !== 'fortran' || !(isOfText || isUnread(type))) return false;
  try {
    return (await addressOf(thread, frame, `&(${source})`)) === 0n;
  } catch (error) {
    if (error instanceof GdbError) return false;
    throw error;
  }
}

function isUnread(type: string | undefined): boolean {
  const count = boundsOf(type)?.reduce((product, { low, high }) => product * Math.max(0, high - low + 1), 1);
  return count !== undefined && (count === 0 || count > likelyRead);
}

/** Elements: gdb tries to read what has less. */
const likelyRead = 1000;

/**
 * Whether gdb could not read a component because an object on the way to it is not there: it tells of an address near 0, where the
 * component would be.
 */
export async function isOfAbsentObject(
  { thread, frame, language }: EvaluationFrame,
  source: string,
  error: GdbError,
): Promise<boolean> {
  if (language !== 'fortran' || error.failure.reason !== 'cannotRead') return false;
  const steps = postfixSteps(source) ?? [];
  for (const [i, { sort }] of steps.entries()) {
    if (sort !== 'member') continue;
    const object = steps.slice(0, i).map(({ text }) => text);
    try {
      if ((await addressOf(thread, frame, `&(${object.join('')})`)) === 0n) return true;
      const pointer = await dataEvaluateExpression(thread, frame, object.join(''));
      if (pointer.kind === 'pointer' && pointer.address === 0n) return true;
    } catch (other) {
      if (other instanceof GdbError) return false;
      throw other;
    }
  }
  return false;
}
