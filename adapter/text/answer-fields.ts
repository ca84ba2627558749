/** The fields of answers, for people who want to know all. */
import { groupedBy } from '../../plugin-api/grouped-by';
import { describeFields, fullText, type DescribedField } from '../../plugin-api/mpi/describe';
import type { Answer, RankId } from '../../plugin-api/mpi/records';
import { mergeEqual } from '../query/across-ranks/merge';
import { table } from './rank-table';

/** In the record's order; within a field the ranks with equal values together. */
export function fieldTable(answers: readonly { rank: RankId; answer: Answer }[]): string[] {
  const fields = answers.flatMap(({ rank, answer }) =>
    answer.code === 'MPIDBG_SUCCESS' ? describeFields(answer.info).map((field) => ({ rank, field })) : [],
  );
  const byName = groupedBy(fields, ({ field }) => field.name);
  return table(
    [...byName.values()].flatMap((ofName) =>
      mergeEqual(ofName.flatMap(({ rank, field }) => linesOf(field).map((text) => ({ rank, text })))),
    ),
  );
}

/** Names and values of records that say nothing to those who have not read what they mean. */
const labels: Readonly<Record<string, string>> = { unknownFlags: 'flags that this MPI cannot tell' };
const valueTexts: Readonly<Record<string, string>> = { 'operation: empty': 'operation: nothing to do' };

/** Of longer lists of handles the first and their number are read: all are in the JSON document. */
const maxHandles = 64;

/** A field on one line; the elements of a list of structures on a line each; none of flags that are not there. */
function linesOf(field: DescribedField): string[] {
  const { children } = field;
  if (field.name === 'flags' && children.length === 0) return [];
  const name = labels[field.name] ?? field.name;
  const isListOfStructures =
    children.length > 0 && children.every((child) => child.name.startsWith('[') && child.text.startsWith('{'));
  if (isListOfStructures) return children.map((child) => `${name}${child.name}: ${fullText(child)}`);
  const isLong = children.length > maxHandles && children.every(({ ref }) => ref !== undefined);
  const line = `${name}: ${isLong ? field.text : fullText(field)}`;
  return [valueTexts[line] ?? line];
}
