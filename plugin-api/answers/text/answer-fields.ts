/** All fields of one handle, for people. */
import { groupedBy } from '../../grouped-by';
import { describeFields, fullText, type DescribedField } from '../../mpi/describe';
import { inWords } from '../../mpi/words';
import type { Answer, RankId } from '../../mpi/records';
import { mergeEqual } from '../merge';
import { table } from './rank-table';

/** In the record's order; within a field the ranks with equal values together. */
export function fieldTable(answers: readonly { rank: RankId; answer: Answer }[]): string[] {
  const fields = answers.flatMap(({ rank, answer }) =>
    answer.code === 'MPIDBG_SUCCESS' ? describeFields(answer.info).map((field) => ({ rank, field })) : [],
  );
  const byName = groupedBy(fields, ({ field }) => field.name);
  return table(
    [...byName.values()].flatMap((ofName) =>
      mergeEqual(ofName.flatMap(({ rank, field }) => linesOf(inWords(field)).map((text) => ({ rank, text })))),
    ),
  );
}

/** Longer lists of handles are cut to the first and their number; the JSON document has all. */
const maxHandles = 64;

/** A field on one line; the elements of a list of structures on a line each; none of flags that are not there. */
export function linesOf(field: DescribedField): string[] {
  const { children } = field;
  if (field.name === 'flags' && children.length === 0) return [];
  const { name } = field;
  const isListOfStructures =
    children.length > 0 && children.every((child) => child.name.startsWith('[') && child.text.startsWith('{'));
  if (isListOfStructures) return children.map((child) => `${name}${child.name}: ${fullText(child)}`);
  const isLong = children.length > maxHandles && children.every(({ ref }) => ref !== undefined);
  return [`${name}: ${isLong ? field.text : fullText(field)}`];
}
