/** The answers to expressions as people read them: one line for each handle and each group of ranks that agree. */
import { describeAnswer, describeColumnsOf, typeNames } from '../../plugin-api/mpi/describe';
import type { Answer, Document, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { visibleListing } from '../../plugin-api/visible-text';
import { groupAlike, mergeAlike, mergeEqual, type MergedText } from '../query/across-ranks/merge';
import { fieldTable } from './answer-fields';
import { failedLines } from './rank-table';
import { elementsText, splitElement } from './element-rows';

interface Answered {
  rank: RankId;
  answer: Answer;
}

function isKnown({ answer }: Answered): boolean {
  return answer.code === 'MPIDBG_SUCCESS';
}

/**
 * Expressions with answers come first. `full`: each rank with its own numbers, and below the line its fields, addresses
 * among them.
 */
export function showText(document: Document, full = false): string {
  const asked = document.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const all = asked.flatMap((rank) => rank.answers.map((answer) => ({ rank, answer })));
  const named = [...byName(all, full)];
  const hasAnswer = ([, answers]: (typeof named)[number]): boolean => answers.some(isKnown);
  const rows = [...named.filter(hasAnswer), ...named.filter((each) => !hasAnswer(each))].flatMap(([name, answers]) => {
    const labels = new Set(answers.map(({ answer }) => answer.expression));
    return labels.size > 1 ? arrayRows(name, answers) : answerRows(name, answers, full);
  });
  return visibleListing([...inColumns(rows), ...failedLines(document)]);
}

/** `fields`: lines below. */
interface Row extends MergedText {
  label: string;
  fields?: string[];
}

/** Elements of one array come together, unless their fields are wanted. */
function byName(all: readonly Answered[], full: boolean): Map<string, Answered[]> {
  const names = new Map<string, Answered[]>();
  for (const each of all) {
    const { expression = '' } = each.answer;
    const name = full ? expression : (splitElement(expression)?.array ?? expression);
    const answers = names.get(name);
    if (answers === undefined) names.set(name, [each]);
    else answers.push(each);
  }
  return names;
}

function answerRows(name: string, answers: readonly Answered[], full: boolean): Row[] {
  const label = answers[0]?.answer.expression ?? name;
  const described = answers.map(({ rank, answer }) => ({ rank, answer, text: describeAnswer(answer) }));
  const known = described.filter(isKnown);
  const merged = full ? mergeEqual(known) : mergeAlike(known, 'hidden');
  const failures = mergeFailures(described.filter((each) => !isKnown(each)));
  const rows = [...merged, ...failures].map((row, index) => ({ ...row, label: index === 0 ? label : '' }));
  const last = rows.at(-1);
  if (full && last !== undefined) Object.assign(last, { fields: fieldTable(known) });
  return rows;
}

/** A heading, then the elements in columns; elements that are not handles come last. */
function arrayRows(array: string, answers: readonly Answered[]): Row[] {
  const known = answers.filter(isKnown);
  const elements = elementsText(
    known.map(({ rank, answer }) => ({ rank, label: answer.expression ?? '', columns: describeColumnsOf(answer) })),
  );
  const failed = new Map<string, Answered[]>();
  for (const each of answers.filter((each) => !isKnown(each))) {
    const { expression = '' } = each.answer;
    failed.set(expression, [...(failed.get(expression) ?? []), each]);
  }
  const kinds = new Set(known.map(({ answer }) => (answer.kind === undefined ? '' : typeNames[answer.kind])));
  const count = new Set(answers.map(({ answer }) => answer.expression)).size;
  const heading = { label: array, ranks: '', text: `${count} ${[...kinds].join(', ') || 'elements'}` };
  return [heading, ...elements, ...[...failed].flatMap(([label, of]) => answerRows(label, of, false))];
}

const maxLocations = 3;

/** Ranks that differ only in places and addresses share a line. */
function mergeFailures(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  const split = answers.map(({ rank, text }) => {
    const [, words, how, location, also] =
      /^(.*) \(((?:looked )?in) (.*?)(, its callers and globals)?\)$/s.exec(text) ?? [];
    return { rank, text: words ?? text, how, place: location?.replace(/ at \S*\//, ' at '), also: also ?? '' };
  });
  return groupAlike(split).flatMap((group) => {
    const [first] = group;
    const merged = mergeAlike(group, 'hidden');
    if (first?.place === undefined) return merged;
    const locations = [...new Set(group.map(({ place: location }) => location ?? '??'))];
    const more = locations.length > maxLocations ? ` and ${locations.length - maxLocations} other places` : '';
    const where = `${first.how} ${locations.slice(0, maxLocations).join(', ')}${more}${first.also}`;
    return merged.map(({ ranks, text }) => ({ ranks, text: `${text} (${where})` }));
  });
}

/** Longer labels get their own line. */
const widestLabel = 28;

function inColumns(rows: readonly Row[]): string[] {
  const labelWidth = Math.max(0, ...rows.map(({ label }) => label.length).filter((length) => length <= widestLabel));
  const rankWidth = Math.max(0, ...rows.map(({ ranks }) => ranks.length));
  return rows.flatMap(({ label, ranks, text, fields = [] }) => {
    const own = label.length > widestLabel ? [label] : [];
    const line = `${(own.length > 0 ? '' : label).padEnd(labelWidth)}  ${ranks.padEnd(rankWidth)}  ${text}`;
    return [...own, line.trimEnd(), ...fields.map((field) => `  ${field}`)];
  });
}
