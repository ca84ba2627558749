/** Why a job does not go on, as people read it: the verdict, and where each rank is. */
import { counted } from '../../counted';
import { groupedBy } from '../../grouped-by';
import { describeRef } from '../../mpi/describe-ref';
import { rankAtDistance } from '../../mpi/rank-names';
import type { HangDocument, WaitingPosition } from '../../hang/hang-records';
import { namesOf } from '../../hang/polled-text';
import { holdsItself } from '../../hang/own-thread-text';
import { placeOf } from '../../hang/place-text';
import { calledFrom } from '../../hang/words';
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
  const rows = positions.map((rank) => {
    const distance = distanceOf(rank);
    const text = positionText(rank, waitText(targetsOf(rank), rank.mode));
    return { rank, text, alike: distance === undefined ? text : positionText(rank, rankAtDistance(distance)) };
  });
  const groups = groupedBy(rows, ({ alike }) => alike);
  return rows.map(({ rank, text, alike }) => ({
    rank,
    text: new Set(groups.get(alike)!.map((row) => row.text)).size < fewestAlike ? text : alike,
  }));
}

function targetsOf({ waitsFor, waitsForRanks }: WaitingPosition): readonly RankId[] {
  return waitsForRanks ?? waitsFor?.map((rank) => ({ rank })) ?? [];
}

/** To the only rank that is waited for; undefined: there are several, or it is of another world. */
function distanceOf(position: WaitingPosition): number | undefined {
  const [target, another] = targetsOf(position);
  if (target === undefined || another !== undefined || target.rank === null || position.rank === null) return undefined;
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

function waitText(ranks: readonly RankId[], mode: WaitingPosition['mode']): string {
  if (ranks.length === 0) return '';
  const set = describeRanks(ranks);
  return mode === 'OR' && ranks.length > 1 ? `one of ${set}` : set;
}

const stateWords: Record<WaitingPosition['state'], string> = {
  blocked: 'blocked',
  polling: 'polls',
  running: 'in its own code',
  finalizing: 'MPI_Finalize',
  ended: 'ended',
  unknown: 'unknown',
};
