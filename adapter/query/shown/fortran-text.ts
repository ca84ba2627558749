/** The texts of CHARACTER components whose length is known at run time only. */
import { addressOf, dataEvaluateExpression, dataReadMemoryBytes } from '../../gdb/mi/data-manipulation';
import { GdbError } from '../../gdb/mi/mi-connection';
import { integerIn, type GdbValue } from '../../gdb/mi/value';
import { inWordsOf } from '../../expressions/fortran-words';
import type { EvaluationFrame } from '../../expressions/evaluation-frame';

/** What a pointer to a CHARACTER leads to; undefined where gdb cannot read it. */
export async function textOfTarget({ thread, frame }: EvaluationFrame, source: string): Promise<GdbValue | undefined> {
  try {
    return await dataEvaluateExpression(thread, frame, `*(${source})`);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** gdb does not know that the length of a component is in one beside it; undefined: it is not. `longest`: in characters. */
export async function textOfComponent(
  { thread, frame, language }: EvaluationFrame,
  source: string,
  longest: number,
): Promise<string | undefined> {
  const [, object, name] = /^(.*)%(\w+)$/s.exec(source) ?? [];
  if (object === undefined) return undefined;
  try {
    const length = Number(integerIn(await dataEvaluateExpression(thread, frame, `${object}%_${name}_length`)) ?? -1n);
    const address = await addressOf(thread, frame, source);
    if (address === undefined || length < 0) return undefined;
    const shown = Math.min(length, longest);
    const pieces = shown === 0 ? [] : await dataReadMemoryBytes(thread, address, shown);
    const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('utf8');
    return inWordsOf(language, `'${text}'${length > shown ? '…' : ''}`);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
