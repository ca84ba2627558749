/** A Document as people read it in a terminal or in the debug console. */
import { isDeepStrictEqual } from 'node:util';
import { describeAnswer, describeFields, fullText, type DescribedField } from '../../plugin-api/mpi/describe';
import type { Answer, Document, RankAnswer, RankError, RankId } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import { visibleListing } from '../../plugin-api/visible-text';
import { crashLines } from '../query/across-ranks/crash';
import { groupAlike, mergeAlike, mergeEqual, type MergedText } from '../query/across-ranks/merge';

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
      distinct(rank.answers.filter((a) => a.expression === expression)).map((answer) => ({ rank, answer })),
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

/** A handle that is asked for, and is also in a structure that is asked for, has been answered twice. */
function distinct(answers: readonly Answer[]): Answer[] {
  return answers.filter((answer, i) => answers.findIndex((each) => isDeepStrictEqual(each, answer)) === i);
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

/** What `info` tells: the processes, and per MPI library where its layouts came from and each check. */
export function infoText(document: Document): string {
  const died = document.ranks.map((rank) => ({ rank, crash: 'crash' in rank ? rank.crash : undefined }));
  const lines: string[] = crashLines(died);
  const asked = document.ranks.filter((rank) => !isUnopened(rank)).flatMap(implementationLines);
  for (const rank of document.ranks) {
    // A file that could not be opened: its reason says all.
    if (isUnopened(rank)) continue;
    const where = [rank.host, rank.pid === undefined ? undefined : `pid ${rank.pid}`, rank.core];
    lines.push(`rank ${rank.rank ?? '?'}  ${where.filter((w) => w !== undefined).join('  ')}`);
  }
  return visibleListing([...lines, ...table(mergeEqual(asked)), ...unopenedLines(document)]);
}

function implementationLines(rank: RankAnswer | RankError): { rank: RankId; text: string }[] {
  if ('error' in rank) return [{ rank, text: rank.error.reason }];
  const { implementation } = rank;
  if (isUnavailable(implementation)) return [{ rank, text: implementation.reason }];
  const capabilities = Object.entries(implementation.capabilities).map(
    ([kind, names]) => `decodes ${kind}: ${names.join(', ')}`,
  );
  const checks = (implementation.checks ?? []).map((check) => {
    const difference = check.passed ? '' : `: found ${check.found}, expected ${check.expected}`;
    return `${check.passed ? 'passed' : 'FAILED'}  ${check.name}${difference}`;
  });
  return [
    `${implementation.name} ${implementation.version}, ${implementation.state}`,
    ...(implementation.abi === undefined ? [] : [`program built for the ${implementation.abi}`]),
    `layout: ${implementation.layout}`,
    ...checks,
    ...capabilities,
  ].map((text) => ({ rank, text }));
}

/** Why the ranks that could not be asked could not. */
export function failedLines(document: Document): string[] {
  const failed = document.ranks.filter((rank): rank is RankError => 'error' in rank && !isUnopened(rank));
  return [...table(mergeEqual(failed.map((rank) => ({ rank, text: rank.error.reason })))), ...unopenedLines(document)];
}

function unopenedLines({ ranks }: Document): string[] {
  return notOpenedText(ranks.filter(isUnopened).map(({ core, error }) => ({ core, reason: error.reason })));
}

/** "not opened: core.1,core.2: it is no core file" */
export function notOpenedText(files: readonly { core: string; reason: string }[]): string[] {
  const merged = mergeEqual(files.map(({ core, reason }) => ({ rank: { rank: null, core }, text: reason })));
  return merged.map(({ ranks, text }) => `not opened: ${ranks}: ${text}`);
}

/** A core file that is no rank. */
function isUnopened(rank: RankAnswer | RankError): rank is RankError & { core: string } {
  return 'error' in rank && rank.rank === null && rank.core !== undefined && rank.pid === undefined;
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

/** The ranks in a column of their own. */
export function table(rows: readonly MergedText[]): string[] {
  const width = Math.max(0, ...rows.map(({ ranks }) => ranks.length));
  return rows.map(({ ranks, text }) => `  ${ranks.padEnd(width)}  ${text}`);
}
