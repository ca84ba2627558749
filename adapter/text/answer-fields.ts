/** All fields of the answers, for people. */
import { describeFields, fullText, type DescribedField } from '../../plugin-api/mpi/describe';
import type { Answer, RankId } from '../../plugin-api/mpi/records';
import { mergeEqual } from '../query/across-ranks/merge';
import { table } from './rank-table';

/** In the record's order; within a field the ranks with equal values together. */
export function fieldTable(answers: readonly { rank: RankId; answer: Answer }[]): string[] {
  const byField = new Map<string, { rank: RankId; text: string }[]>();
  for (const { rank, answer } of answers) {
    if (answer.code !== 'MPIDBG_SUCCESS') continue;
    for (const field of describeFields(answer.info)) {
      const rows = byField.get(field.name) ?? [];
      rows.push(...linesOf(field).map((text) => ({ rank, text })));
      byField.set(field.name, rows);
    }
  }
  return table([...byField.values()].flatMap((rows) => mergeEqual(rows)));
}

/** Field names and values that need an explanation, in words. */
const labels: Readonly<Record<string, string>> = { unknownFlags: 'flags that this MPI cannot tell' };
const valueTexts: Readonly<Record<string, string>> = { 'operation: empty': 'operation: nothing to do' };

/** A field on one line; the elements of a list of structures on a line each; none of flags that are not there. */
function linesOf(field: DescribedField): string[] {
  const { children } = field;
  if (field.name === 'flags' && children.length === 0) return [];
  const name = labels[field.name] ?? field.name;
  const isListOfStructures =
    children.length > 0 && children.every((child) => child.name.startsWith('[') && child.text.startsWith('{'));
  if (isListOfStructures) return children.map((child) => `${name}${child.name}: ${fullText(child)}`);
  const line = `${name}: ${fullText(field)}`;
  return [valueTexts[line] ?? line];
}
