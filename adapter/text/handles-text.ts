/** The live handles of all ranks as people read them: what is alike in several ranks is one line. */
import { describeAnswer, handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import type { Answer, Document, HandleKind, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { visibleListing } from '../../plugin-api/visible-text';
import { failedLines, table } from './rank-table';
import { mergeAlike, mergeEqual } from '../query/across-ranks/merge';

interface Row {
  rank: RankId;
  text: string;
}

/**
 * First what is left of ranks that end, then per kind a line for each live handle, predefined ones only counted; last
 * the kinds that have no others.
 */
export function handlesText(document: Document): string {
  const asked = document.ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
  const silent = asked.flatMap((rank) => silenceOf(rank) ?? []);
  const telling = asked.filter((rank) => !silent.some((row) => row.rank === rank));
  const lines = table(mergeEqual([...asked.flatMap((rank) => leakRow(rank) ?? []), ...silent]));
  const onlyPredefined: HandleKind[] = [];
  for (const kind of handleKinds) {
    const rows = telling.flatMap((rank) => ofKind(rank, kind).flatMap((answer) => rowOf(rank, answer) ?? []));
    const gaps = telling.flatMap((rank) => ofKind(rank, kind).flatMap((answer) => gapOf(rank, answer) ?? []));
    const counts = telling.flatMap((rank) => countRow(rank, [kind], (count) => `and ${count} predefined`) ?? []);
    if (rows.length + gaps.length > 0)
      lines.push(typeNames[kind], ...table([...mergeAlike(rows), ...mergeEqual(counts), ...mergeAlike(gaps)]));
    else if (counts.length > 0) onlyPredefined.push(kind);
  }
  const counts = telling.flatMap(
    (rank) => countRow(rank, onlyPredefined, (count, kind) => `${count} ${typeNames[kind]}`) ?? [],
  );
  if (counts.length > 0) lines.push('Only predefined', ...table(mergeEqual(counts)));
  lines.push(...failedLines(document));
  return visibleListing(lines);
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
function leakRow(rank: RankAnswer): Row | undefined {
  if (rank.ending === undefined) return undefined;
  const counts = handleKinds.flatMap((kind) => {
    const count = ofKind(rank, kind).filter(isLeft).length;
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

function ofKind(rank: RankAnswer, kind: HandleKind): Answer[] {
  return rank.answers.filter((answer) => answer.kind === kind);
}

function rowOf(rank: RankId, answer: Answer): Row | undefined {
  if (answer.code !== 'MPIDBG_SUCCESS' || has(answer, 'predefined')) return undefined;
  const handle = 'handle' in answer.info ? `  (${answer.info.handle})` : '';
  return { rank, text: `${describeAnswer(answer)}${handle}` };
}

/** What a list of this kind leaves out, with the reason. */
function gapOf(rank: RankId, answer: Answer): Row | undefined {
  return answer.code === 'MPIDBG_SUCCESS' ? undefined : { rank, text: answer.reason };
}

/** How many predefined objects of these kinds a rank has. */
function countRow(
  rank: RankAnswer,
  kinds: readonly HandleKind[],
  text: (count: number, kind: HandleKind) => string,
): Row | undefined {
  const counts = kinds.flatMap((kind) => {
    const count = ofKind(rank, kind).filter((answer) => has(answer, 'predefined')).length;
    return count === 0 ? [] : [text(count, kind)];
  });
  return counts.length === 0 ? undefined : { rank, text: counts.join(', ') };
}

function has(answer: Answer, flag: string): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || !('flags' in answer.info)) return false;
  return (answer.info.flags as string[]).includes(flag);
}
