/** Why a job does not go on, as people read it: the verdict, and where each rank is. */
import { counted } from '../../counted';
import { groupedBy } from '../../grouped-by';
import { onceFor } from '../../once';
import { describeRef } from '../../mpi/describe-ref';
import { rankAtDistance } from '../../mpi/rank-names';
import type { HangDocument, WaitingPosition } from '../../hang/hang-records';
import { namesOf } from '../../hang/polled-text';
import { holdsItself } from '../../hang/own-thread-text';
import { placeOf } from '../../hang/place-text';
import { calledFrom, firstAndLast } from '../../hang/words';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import type { HandleRef, RankId } from '../../mpi/records';
import { describeRanks, mergeEqual } from '../merge';
import { failedLines, table } from './rank-table';

export function hangText(document: HangDocument): string {
  const rows = positionRows(document.ranks.filter((rank): rank is WaitingPosition => !('error' in rank)));
  return visibleListing([
    [document.sentence, document.advice].filter((text) => text !== undefined).join(' '),
    proofText(document),
    '',
    ...table(mergeEqual(rows)),
    ...failedLines(document),
  ]);
}

function proofText({ verdict, proof, type, looks }: HangDocument): string {
  if (verdict !== 'deadlock')
    return verdict === 'progress' ? 'No deadlock.' : 'Unknown: not enough is known for a verdict.';
  const seconds = counted(rounded(looks.seconds), 'second');
  const why = {
    counters: 'no message is under way by the numbers of messages that the library keeps',
    'two-looks': `nothing moved within ${seconds}`,
    'one-look': 'all ranks are blocked in MPI, as their core files show',
  }[proof!];
  return `Deadlock (${type}): ${why}.`;
}

/** Tenths of a second count only for a short time. */
function rounded(seconds: number): number {
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}

/** Fewer rows that differ only in the rank that is waited for stay apart. */
const fewestAlike = 3;

function positionRows(positions: readonly WaitingPosition[]): { rank: RankId; text: string }[] {
  // Many may wait for the same ones.
  const namesOfSame = onceFor((ranks: readonly RankId[] | readonly number[]) => describeRanks(ranks.map(asRank)));
  const awaitedBy = ({ mode, waitsFor = [], waitsForRanks }: WaitingPosition): string => {
    const ranks = waitsForRanks ?? waitsFor;
    if (ranks.length === 0) return '';
    return mode === 'OR' && ranks.length > 1 ? `one of ${namesOfSame(ranks)}` : namesOfSame(ranks);
  };
  const rows = positions.map((rank) => {
    const distance = distanceOf(rank);
    const text = positionText(rank, awaitedBy(rank));
    return { rank, text, alike: distance === undefined ? text : positionText(rank, rankAtDistance(distance)) };
  });
  const groups = groupedBy(rows, ({ alike }) => alike);
  const areFew = onceFor((alike: string) => new Set(groups.get(alike)!.map(({ text }) => text)).size < fewestAlike);
  const told = rows.map(({ rank, text, alike }) => ({ rank, text: areFew(alike) ? text : alike }));
  return withSeveralTogether(told, awaitedBy);
}

function asRank(rank: RankId | number): RankId {
  return typeof rank === 'number' ? { rank } : rank;
}

/** More rows that differ only in the ranks that are waited for are one. */
const mostApart = 8;

/** As in an exchange with neighbors, where each rank waits for others: "waits for several ranks (0 for 1,8; 1 for 0,2,9; … 63 for 55,62)". */
function withSeveralTogether(
  rows: readonly { rank: WaitingPosition; text: string }[],
  awaitedBy: (rank: WaitingPosition) => string,
): { rank: RankId; text: string }[] {
  const isOfSeveral = ({ rank }: { rank: WaitingPosition }): boolean => (rank.waitsFor?.length ?? 0) > 1;
  const groups = groupedBy(rows.filter(isOfSeveral), ({ rank }) => positionText(rank, rank.mode ?? ''));
  const together = onceFor((of: readonly { rank: WaitingPosition; text: string }[]) => {
    if (new Set(of.map(({ text }) => text)).size <= mostApart) return undefined;
    const pairs = of.map(({ rank }) => `${describeRanks([rank])} for ${awaitedBy(rank)}`);
    return positionText(of[0]!.rank, `several ranks (${firstAndLast(pairs, '; ')})`);
  });
  return rows.map((row) => {
    const of = isOfSeveral(row) ? groups.get(positionText(row.rank, row.rank.mode ?? ''))! : undefined;
    return { rank: row.rank, text: (of && together(of)) ?? row.text };
  });
}

/** To the only rank that is waited for; undefined: there are several, or it is of another world. */
function distanceOf(position: WaitingPosition): number | undefined {
  const [first, another] = position.waitsForRanks ?? position.waitsFor ?? [];
  if (first === undefined || another !== undefined || position.rank === null) return undefined;
  const target = asRank(first);
  if (target.rank === null) return undefined;
  if (target.world !== (position.waitsForRanks && position.world)) return undefined;
  return target.rank - position.rank;
}

function positionText(position: WaitingPosition, awaited: string): string {
  const { thread, state, call, comm, win, file } = position;
  const who = thread === 1 ? '' : `thread ${thread}: `;
  const object = [comm, win, file].find((each) => each !== undefined && !isUnavailable(each)) as HandleRef | undefined;
  const on = object === undefined ? '' : ` on ${position.on ?? describeRef(object)}`;
  const { waitsIn, polls } = position;
  const own = polls === undefined ? stateWords[state] : `polls ${namesOf(polls)}`;
  const doing = state === 'blocked' ? `waits for ${holdsItself(position) ? 'itself' : 'another thread'}` : own;
  const inKernel =
    waitsIn && `waits in ${waitsIn.call}${placeOf(position)}${waitsIn.what === undefined ? '' : ` ${waitsIn.what}`}`;
  const at = call === undefined ? (inKernel ?? `${doing}${placeOf(position)}`) : calledFrom(position, call);
  const others = awaited === '' ? '' : `, waits for ${awaited}`;
  return `${who}${at}${on}${others}`;
}

const stateWords: Record<WaitingPosition['state'], string> = {
  blocked: 'blocked',
  polling: 'polls',
  running: 'in its own code',
  finalizing: 'MPI_Finalize',
  ended: 'ended',
  unknown: 'unknown',
};
