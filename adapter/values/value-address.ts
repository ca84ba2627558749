/** Where a value is in the memory of its process. */
import { evaluated } from '../expressions/containers';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { addressIn } from '../gdb/mi/value';

/** The address of a value, or gdb's reason why it is unknown. */
export type Location = { kind: 'address'; address: bigint } | { kind: 'nowhere'; why: string };

/** `source`: an expression as gdb reads it; undefined: there is none. Rejects where gdb is lost. */
export async function addressOf(evalFrame: EvaluationFrame, source: string | undefined): Promise<Location> {
  if (source === undefined) return { kind: 'nowhere', why: 'it has no address' };
  const { thread, frame, language } = evalFrame;
  try {
    const at = { gdb: thread.gdb, language };
    const printed = await evaluated(at, `&(${source})`, (each) => dataEvaluateExpression(thread, frame, each));
    const address = addressIn(printed);
    return address === undefined ? { kind: 'nowhere', why: printed.text } : { kind: 'address', address };
  } catch (error) {
    if (error instanceof GdbError) return { kind: 'nowhere', why: error.message };
    throw error;
  }
}
