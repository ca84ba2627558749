/** Numbers of the program that MPI has a name for. */
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { wholeNumberIn, type GdbValue } from '../gdb/mi/value';
import { isOfWholeNumbers } from '../gdb/value-type';

/**
 * "MPI_PROC_NULL (-2)", of a variable that its function gives to MPI as a rank; undefined where nothing proves that. `type`
 * as gdb prints it.
 */
export async function namedNumber(
  { nameOfNumber }: EvaluationFrame,
  type: string,
  expression: string | undefined,
  value: GdbValue,
): Promise<string | undefined> {
  // All of MPI's names are for negative numbers.
  const number = wholeNumberIn(value);
  if (expression === undefined || number === undefined || number >= 0n || !isOfWholeNumbers(type)) return undefined;
  const name = await nameOfNumber?.(expression, Number(number));
  return name === undefined ? undefined : `${name} (${number})`;
}
