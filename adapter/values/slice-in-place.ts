/** Slices that are too long for gdb: `p[5]@100000` is a copy to gdb, while an array in memory is read part by part. */
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import { grouped, sliceIn } from '../expressions/access-path';
import { dataEvaluateExpression } from '../gdb/mi/data-manipulation';
import { integerIn } from '../gdb/mi/value';
import type { Create } from './fortran-parts';

/** "double", "struct cell", "int [2][3]"; not a function's type, nor one without a name. */
const elementType = /^([^()[\]{}]+?)((?:\s*\[\d+\])*)$/;

/** The elements of a slice as an array in memory; undefined: it is no slice of C or C++. Rejects with GdbError. */
export async function sliceInPlace(
  evalFrame: EvaluationFrame,
  source: string,
  create: Create,
): Promise<string | undefined> {
  const { thread, frame, language } = evalFrame;
  const slice = language === 'fortran' ? undefined : sliceIn(source.trim());
  if (slice === undefined) return undefined;
  const { type = '' } = await create(slice.from);
  // A sum is a number even where the count is the name of an enumeration's value.
  const count = integerIn(await dataEvaluateExpression(thread, frame, `(${slice.count})+0`));
  const [, base, dimensions] = elementType.exec(type) ?? [];
  if (base === undefined || count === undefined) return undefined;
  return `*(${base} (*)[${count}]${dimensions})&${grouped(slice.from)}`;
}
