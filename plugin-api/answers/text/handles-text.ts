/** The live handles of all ranks as people read them: what is alike in several ranks is one line. */
import { groupedBy } from '../../grouped-by';
import { describeAnswer, handleKinds, typeNames } from '../../mpi/describe';
import { historyText } from '../../mpi/history';
import type { Answer, Document, HandleKind, RankAnswer, RankId } from '../../mpi/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { withoutAlike } from './alike-lines';
import { failedLines, table } from './rank-table';
import { mergeAlike, mergeEqual, type MergedText } from '../merge';

interface Row {
  rank: RankId;
  text: string;
}

/** What a rank has, by kind. */
interface Listed {
  rank: RankAnswer;
  answers: ReadonlyMap<HandleKind | undefined, readonly Answer[]>;
}

/**
 * First the leaks of ranks that are ending, then for each kind one line for objects that are alike, with a count of the
 * predefined ones; then the kinds without others, what cannot be listed, and the ranks that list none. `full`: one line for
 * each object, with its address.
 */
export function handlesText(document: Document, full = false): string {
  const { telling, left, unlisted, silent } = handleNotes(document);
  const beginning = table(left);
  const onlyPredefined: HandleKind[] = [];
  let isShortened = false;
  const sections = handleKinds.map((kind) => {
    const objects = telling.map((each) => ({ rank: each.rank, texts: objectTexts(each, kind, full) }));
    const shown = full ? objects : objects.map(({ rank, texts }) => ({ rank, texts: withoutAlike(texts) }));
    isShortened ||= shown.some(({ texts }, i) => texts.length < objects[i]!.texts.length);
    const rows = shown.flatMap(({ rank, texts }) => texts.map((text): Row => ({ rank, text })));
    const counts = telling.flatMap((each) => countRow(each, [kind], (count) => `and ${count} predefined`) ?? []);
    if (rows.length > 0)
      return [typeNames[kind], ...table([...mergeAlike(rows, full ? 'listed' : 'hidden'), ...mergeEqual(counts)])];
    if (counts.length > 0) onlyPredefined.push(kind);
    return [];
  });
  const predefined = telling.flatMap((each) => countRow(each, onlyPredefined, (_count, kind) => kind) ?? []);
  const end = [
    ...section('Only predefined', mergeEqual(predefined)),
    ...section('Not listed', unlisted),
    ...section('No handles', silent),
  ];
  const note = isShortened ? ['(each of them, with its address: --full)'] : [];
  return visibleListing([beginning, ...sections, end, note, failedLines(document)].flat());
}

/**
 * What has to be said beside the handles, ranks that agree merged: `left`, objects that are still alive in ranks that are ending;
 * `unlisted`, what the lists leave out, with the reason; `silent`, why ranks list no handle at all. `telling`: the other ranks.
 */
export function handleNotes({ ranks }: Document): {
  telling: readonly Listed[];
  left: readonly MergedText[];
  unlisted: readonly MergedText[];
  silent: readonly MergedText[];
} {
  const asked = ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const listed = asked.map((rank): Listed => ({ rank, answers: groupedBy(rank.answers, ({ kind }) => kind) }));
  const silent = asked.flatMap((rank) => silenceOf(rank) ?? []);
  const silentRanks = new Set(silent.map(({ rank }) => rank));
  const telling = listed.filter(({ rank }) => !silentRanks.has(rank));
  return {
    telling,
    left: mergeEqual(listed.flatMap((each) => leakRow(each) ?? [])),
    unlisted: mergeAlike(telling.flatMap((each) => handleKinds.flatMap((kind) => gapRows(each, kind)))),
    silent: mergeEqual(silent),
  };
}

function section(title: string, rows: readonly MergedText[]): string[] {
  return rows.length === 0 ? [] : [title, ...table(rows)];
}

/** A rank that gives the same reason for every kind, and no handle. */
function silenceOf(rank: RankAnswer): Row | undefined {
  const reasons = new Set(rank.answers.map((answer) => (answer.code === 'MPIDBG_SUCCESS' ? undefined : answer.reason)));
  const [reason] = reasons;
  const kinds = new Set(rank.answers.map(({ kind }) => kind));
  if (reasons.size !== 1 || reason === undefined || (kinds.size === 1 && !kinds.has(undefined))) return undefined;
  return { rank, text: reason };
}

/** "3 objects are still alive in MPI_Finalize: 2 MPI_Comm, 1 MPI_Win" */
function leakRow(listed: Listed): Row | undefined {
  const { rank } = listed;
  if (rank.ending === undefined) return undefined;
  const counts = handleKinds.flatMap((kind) => {
    const count = ofKind(listed, kind).filter(isLeft).length;
    return count === 0 ? [] : [{ kind, count }];
  });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const what = counts.map(({ kind, count }) => `${count} ${typeNames[kind]}`).join(', ');
  return { rank, text: `${total} ${total === 1 ? 'object is' : 'objects are'} still alive in ${rank.ending}: ${what}` };
}

/** Objects that MPI keeps only for pending operations count as freed by the program. */
function isLeft(answer: Answer): boolean {
  return answer.code === 'MPIDBG_SUCCESS' && !['predefined', 'internal', 'freedHandle'].some((f) => has(answer, f));
}

function ofKind({ answers }: Listed, kind: HandleKind): readonly Answer[] {
  return answers.get(kind) ?? [];
}

function objectTexts(listed: Listed, kind: HandleKind, withHandle: boolean): string[] {
  return ofKind(listed, kind).flatMap((answer) => {
    if (answer.code !== 'MPIDBG_SUCCESS' || has(answer, 'predefined')) return [];
    const handle = withHandle && 'handle' in answer.info ? `  (${answer.info.handle})` : '';
    // The heading says of which kind it is.
    const title = `${typeNames[kind]} · `;
    const text = describeAnswer(answer);
    return [`${text.startsWith(title) ? text.slice(title.length) : text}${originOf(answer)}${handle}`];
  });
}

/** " · created by MPI_Comm_dup at solver.c:88": where a leak comes from, if calls are collected. */
function originOf({ info }: Extract<Answer, { code: 'MPIDBG_SUCCESS' }>): string {
  if (!('history' in info) || info.history === undefined) return '';
  const { created, freed } = info.history;
  const text = historyText({ ...(created && { created }), ...(freed && { freed }) });
  return text === '' ? '' : ` · ${text}`;
}

/** What a list of this kind leaves out, with the reason. */
function gapRows(listed: Listed, kind: HandleKind): Row[] {
  const { implementation } = listed.rank;
  // Where there can be none, nothing is left out.
  if (!isUnavailable(implementation) && implementation.absentKinds?.includes(kind) === true) return [];
  return ofKind(listed, kind).flatMap((answer) =>
    answer.code === 'MPIDBG_SUCCESS' ? [] : [{ rank: listed.rank, text: `${kind}: ${answer.reason}` }],
  );
}

/** How many predefined objects of these kinds a rank has. */
function countRow(
  listed: Listed,
  kinds: readonly HandleKind[],
  text: (count: number, kind: HandleKind) => string,
): Row | undefined {
  const counts = kinds.flatMap((kind) => {
    const count = ofKind(listed, kind).filter((answer) => has(answer, 'predefined')).length;
    return count === 0 ? [] : [text(count, kind)];
  });
  return counts.length === 0 ? undefined : { rank: listed.rank, text: counts.join(', ') };
}

function has(answer: Answer, flag: string): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || !('flags' in answer.info)) return false;
  return (answer.info.flags as string[]).includes(flag);
}
