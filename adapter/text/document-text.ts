/** A Document as people read it in a terminal or in the debug console. */
import { describeAnswer, describeFields, fullText, type DescribedField } from '../../plugin-api/mpi/describe';
import type { Answer, Document, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { visibleListing } from '../../plugin-api/visible-text';
import { groupAlike, mergeAlike, mergeEqual, type MergedText } from '../query/across-ranks/merge';
import { failedLines, table } from './rank-table';

/** How much of the fields is written: none of them, a line of each, or all that is known. */
export type Extent = 'none' | 'lines' | 'full';

/**
 * Per expression one line for each rank, and below it the fields, ranks with equal ones together; where only their own
 * handles differ, these are listed, unless all is wanted.
 */
export function showText(document: Document, extent: Extent = 'lines'): string {
  const lines: string[] = [];
  const asked = document.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  for (const expression of expressionsOf(asked)) {
    const answers = asked.flatMap((rank) =>
      rank.answers.filter((a) => a.expression === expression).map((answer) => ({ rank, answer })),
    );
    const isKnown = ({ answer }: (typeof answers)[number]): boolean => answer.code === 'MPIDBG_SUCCESS';
    const described = answers.map((each) => ({ ...each, text: describeAnswer(each.answer) }));
    const failures = mergeFailures(described.filter((each) => !isKnown(each)));
    lines.push(expression, ...table([...mergeEqual(described.filter(isKnown)), ...failures]));
    if (extent !== 'none') lines.push(...fieldTable(answers, extent === 'full').map((line) => `  ${line}`));
  }
  lines.push(...failedLines(document));
  return visibleListing(lines);
}

const mostPlaces = 3;

/** Ranks that say the same of different places and addresses are one line. */
function mergeFailures(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  const split = answers.map(({ rank, text }) => {
    const [, words, how, place, also] =
      /^(.*) \(((?:looked )?in) (.*?)(, its callers and globals)?\)$/s.exec(text) ?? [];
    return { rank, text: words ?? text, how, place, also: also ?? '' };
  });
  return groupAlike(split).flatMap((group) => {
    const [first] = group;
    const merged = mergeAlike(group);
    if (first?.place === undefined) return merged;
    const places = [...new Set(group.map(({ place }) => place ?? '??'))];
    const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} other places` : '';
    const where = `${first.how} ${places.slice(0, mostPlaces).join(', ')}${more}${first.also}`;
    return merged.map(({ ranks, text }) => ({ ranks, text: `${text} (${where})` }));
  });
}

function expressionsOf(ranks: readonly RankAnswer[]): string[] {
  return [...new Set(ranks.flatMap((rank) => rank.answers.map((answer) => answer.expression ?? '')))];
}

/** The fields in the record's order; within a field the ranks with equal values together. */
function fieldTable(answers: readonly { rank: RankId; answer: Answer }[], isFull: boolean): string[] {
  const byField = new Map<string, { rank: RankId; text: string }[]>();
  for (const { rank, answer } of answers) {
    if (answer.code !== 'MPIDBG_SUCCESS') continue;
    for (const field of describeFields(answer.info)) {
      const rows = byField.get(field.name) ?? [];
      rows.push(...flatten(field, isFull).map((text) => ({ rank, text })));
      byField.set(field.name, rows);
    }
  }
  return table([...byField.values()].flatMap(isFull ? mergeEqual : mergeAlike));
}

/** Characters of a line of a field. */
const longestLine = 200;
const mostLines = 8;

/** A field on one line; the elements of a list of structures on a line each. */
function flatten(field: DescribedField, isFull: boolean): string[] {
  const { name, children } = field;
  const isListOfStructures =
    children.length > 0 && children.every((child) => child.name.startsWith('[') && child.text.startsWith('{'));
  if (isFull) {
    return isListOfStructures
      ? children.map((child) => `${name}${child.name}: ${fullText(child)}`)
      : [`${name}: ${fullText(field)}`];
  }
  if (!isListOfStructures) return [bounded(`${name}: ${field.text}`)];
  const left = children.length - mostLines;
  const more = left > 0 ? [`${name}: … ${left} more`] : [];
  return [...children.slice(0, mostLines).map((child) => bounded(`${name}${child.name}: ${child.text}`)), ...more];
}

function bounded(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine)}…`;
}
