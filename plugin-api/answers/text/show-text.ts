/** The answers to expressions as people read them: one line for each handle and each group of ranks that agree. */
import { groupedBy } from '../../grouped-by';
import { describeAnswer, describeColumnsOf, typeNames } from '../../mpi/describe';
import type { Answer, Document, RankAnswer, RankId } from '../../mpi/records';
import { visibleListing } from '../../visible-text';
import { groupAlike, mergeAlike, mergeEqual, type MergedText } from '../merge';
import { fieldTable } from './answer-fields';
import { fieldColumns } from './field-columns';
import { inColumns, type Row } from './labelled-rows';
import { failedLines } from './rank-table';
import { withoutAddresses } from '../values/value-text';
import { elementsText, indices, splitElement } from './element-rows';

interface Answered {
  rank: RankId;
  answer: Answer;
}

function isKnown({ answer }: Answered): boolean {
  return answer.code === 'MPIDBG_SUCCESS';
}

/**
 * Expressions with answers come first. `full`: each rank with its own numbers, and below the line its fields, addresses
 * among them: a list for one handle, a table for several.
 */
export function showText(document: Document, full = false): string {
  const asked = document.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const all = asked.flatMap((rank) => rank.answers.map((answer) => ({ rank, answer })));
  const named = [...byName(all)];
  const hasAnswer = ([, answers]: (typeof named)[number]): boolean => answers.some(isKnown);
  const rows = [...named.filter(hasAnswer), ...named.filter((each) => !hasAnswer(each))].flatMap(([name, answers]) => {
    const labels = new Set(answers.map(({ answer }) => answer.expression));
    return labels.size > 1 ? arrayRows(name, answers, full) : answerRows(name, answers, full);
  });
  return visibleListing([...inColumns(rows), ...failedLines(document)]);
}

/** Elements of one array come together. */
function byName(all: readonly Answered[]): ReadonlyMap<string, readonly Answered[]> {
  return groupedBy(all, ({ answer: { expression = '' } }) => splitElement(expression)?.array ?? expression);
}

function answerRows(name: string, answers: readonly Answered[], full: boolean): Row[] {
  const label = answers[0]?.answer.expression ?? name;
  const described = answers.map(({ rank, answer }) => ({ rank, answer, text: describedWithPlace(answer) }));
  const known = described.filter(isKnown);
  const merged = full ? mergeEqual(known) : mergeAlike(known, 'hidden');
  const failures = mergeFailures(described.filter((each) => !isKnown(each)));
  const rows = [...merged, ...failures].map((row, index) => ({ ...row, label: index === 0 ? label : '' }));
  const last = rows.at(-1);
  if (full && last !== undefined)
    Object.assign(last, { fields: known.length > 1 ? fieldColumns(known) : fieldTable(known) });
  return rows;
}

function describedWithPlace(answer: Answer): string {
  const isOneOfSeveral = answer.code === 'MPIDBG_SUCCESS' && answer.of !== undefined;
  return isOneOfSeveral ? `${describeAnswer(answer)} · in ${answer.of}` : describeAnswer(answer);
}

/** A heading, then the elements in columns; elements that are not handles come last. */
function arrayRows(array: string, answers: readonly Answered[], full: boolean): Row[] {
  const known = answers.filter(isKnown);
  const elements = full
    ? []
    : elementsText(
        known.map(({ rank, answer }) => ({ rank, label: answer.expression ?? '', columns: describeColumnsOf(answer) })),
      );
  const failed = groupedBy(
    answers.filter((each) => !isKnown(each)),
    ({ answer }) => answer.expression ?? '',
  );
  const kinds = new Set(known.map(({ answer }) => (answer.kind === undefined ? '' : typeNames[answer.kind])));
  const count = new Set(answers.map(({ answer }) => answer.expression)).size;
  const heading = { label: array, ranks: '', text: `${count} ${[...kinds].join(', ') || 'elements'}` };
  const fields = full ? { fields: fieldColumns(known) } : {};
  return [{ ...heading, ...fields }, ...elements, ...failedElements(failed)];
}

/** Elements that fail alike come together, whatever is in them. */
function failedElements(failed: ReadonlyMap<string, readonly Answered[]>): Row[] {
  const elements = [...failed].map(([label, of]) => {
    const rows = answerRows(label, of, false);
    return { label, rows, shapes: rows.map(({ ranks, text }) => ({ ranks, text: shapeOf(text, label) })) };
  });
  const alike = groupedBy(elements, ({ shapes }) => shapes.map(({ ranks, text }) => `${ranks} ${text}`).join('\n'));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group.flatMap(({ rows }) => rows);
    const label = `  ${indices(group.map((each) => each.label))}`;
    return first.shapes.map((shape, i) => {
      const isSame = group.every(({ rows }) => rows[i]?.text === first.rows[i]?.text);
      return { ...shape, label: i === 0 ? label : '', text: isSame ? first.rows[i]!.text : shape.text };
    });
  });
}

function shapeOf(text: string, label: string): string {
  return withoutAddresses(text.replaceAll(label, 'it'));
}

const maxLocations = 3;

/** Ranks that differ only in places and addresses share a line. */
function mergeFailures(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  const split = answers.map(({ rank, text }) => {
    const [, words, how, location, also] =
      /^(.*) \(((?:looked )?in) (.*?)(, its callers and globals)?\)$/s.exec(text) ?? [];
    return { rank, text: words ?? text, how, location: location?.replace(/ at \S*\//, ' at '), also: also ?? '' };
  });
  return groupAlike(split).flatMap((group) => {
    const [first] = group;
    const merged = mergeAlike(group, 'hidden');
    if (first?.location === undefined) return merged;
    const locations = [...new Set(group.map(({ location }) => location ?? '??'))];
    const more = locations.length > maxLocations ? ` and ${locations.length - maxLocations} other places` : '';
    const where = `${first.how} ${locations.slice(0, maxLocations).join(', ')}${more}${first.also}`;
    return merged.map(({ ranks, text }) => ({ ranks, text: `${text} (${where})` }));
  });
}
