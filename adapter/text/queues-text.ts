/** The message queues of all ranks as people read them: by communicator, what is alike in several ranks is one line. */
import { describeRef, nameOf } from '../../plugin-api/mpi/describe-ref';
import type { CommQueues, QueueItem, RankQueues } from '../../plugin-api/mpi/queue-records';
import type { CommInfo, Integer, Known, RankId } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import { visibleListing } from '../../plugin-api/visible-text';
import { formatRankSet, rankSetOf } from '../job/rank-set';
import type { DescribedQueues } from '../query/message-queues';
import { mergeAlike, mergeEqual } from '../query/across-ranks/merge';
import { failedLines, table } from './rank-table';

interface Row {
  rank: RankId;
  text: string;
}

/** Communicators with nothing in their queues are only counted. */
export function queuesText({ document, comms }: DescribedQueues): string {
  const told = document.ranks.filter((rank): rank is RankQueues => 'comms' in rank);
  const byComm = new Map<string, Row[]>();
  document.ranks.forEach((rank, i) => {
    if ('error' in rank) return;
    rank.comms.forEach((queues, j) => {
      const title = titleOf(comms[i]![j]!);
      byComm.set(title, [...(byComm.get(title) ?? []), ...rowsOf(rank, queues)]);
    });
  });
  const lines = [...byComm].flatMap(([title, rows]) => (rows.length === 0 ? [] : [title, ...table(mergeAlike(rows))]));
  const unknown = told.flatMap(unknownQueues);
  const empty = [...byComm.values()].filter((rows) => rows.length === 0).length;
  if (empty > 0 && unknown.length === 0) lines.push(`Nothing is pending on ${othersText(empty, lines.length > 0)}`);
  const notes = told.flatMap((rank) => (rank.notes ?? []).map((text) => ({ rank, text })));
  lines.push(...table(mergeEqual([...unknown, ...notes])), ...failedLines(document));
  return visibleListing(lines);
}

/** One without a name is known in all ranks by its members and its context id. */
function titleOf(info: CommInfo): string {
  const { handle, name, serves, contextId } = info;
  const isNamed = typeof name === 'string' && name !== '';
  const own = isNamed ? nameOf('comm', name) : `MPI_Comm of ${membersOf(info) ?? handle}`;
  const purpose = serves === undefined || isUnavailable(serves) ? '' : ` (internal, for ${describeRef(serves)})`;
  return `${own}${purpose}${isNamed || isUnavailable(contextId) ? '' : `, context id ${contextId}`}`;
}

/** In ranks of MPI_COMM_WORLD: "ranks 0-3"; of an intercommunicator the group with the lowest rank first. */
function membersOf({ localProcs, remoteProcs }: CommInfo): string | undefined {
  const groups = [localProcs, ...(remoteProcs === undefined ? [] : [remoteProcs])];
  const sets: string[] = [];
  for (const group of groups) {
    if (isUnavailable(group) || group.some((rank) => rank === null)) return undefined;
    sets.push(formatRankSet(rankSetOf(group as number[])));
  }
  return `${sets.join() === String(Number(sets[0])) ? 'rank' : 'ranks'} ${sets.sort(byFirstRank).join(' and ')}`;
}

function byFirstRank(a: string, b: string): number {
  return parseInt(a, 10) - parseInt(b, 10);
}

function othersText(count: number, isAfterSome: boolean): string {
  return `${count} ${isAfterSome ? 'other ' : ''}communicator${count === 1 ? '' : 's'}`;
}

const queues = ['posted', 'unexpected', 'sends'] as const;

const words: Record<(typeof queues)[number], { item: string; direction: string; queue: string }> = {
  posted: { item: 'posted receive', direction: 'from', queue: 'posted receives' },
  unexpected: { item: 'unexpected message', direction: 'from', queue: 'unexpected messages' },
  sends: { item: 'pending send', direction: 'to', queue: 'pending sends' },
};

/** Equal items of one queue are one row, with their number. */
function rowsOf(rank: RankId, comm: CommQueues): Row[] {
  return queues.flatMap((queue) => {
    const items = comm[queue];
    if (isUnavailable(items)) return [];
    const counts = new Map<string, number>();
    for (const item of items) {
      const text = itemText(item, queue);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].map(([text, count]) => ({ rank, text: count === 1 ? text : `${text} (${count} times)` }));
  });
}

/** What is unknown is so for all communicators of a rank. */
function unknownQueues(rank: RankQueues): Row[] {
  const [comm] = rank.comms;
  return queues.flatMap((queue) => {
    const items = comm?.[queue];
    return isUnavailable(items) ? [{ rank, text: `${words[queue].queue}: ${items.reason}` }] : [];
  });
}

function itemText({ peer, tag, bytes, collective, internal }: QueueItem, queue: (typeof queues)[number]): string {
  const { item, direction } = words[queue];
  return [
    `${item} ${direction} ${known(peer)}`,
    typeof tag === 'string' ? tag : `tag ${known(tag)}`,
    isUnavailable(bytes) ? 'size unknown' : `${bytes} ${Number(bytes) === 1 ? 'byte' : 'bytes'}`,
    ...(collective === undefined ? (internal ? ['internal'] : []) : [`of ${collective}`]),
  ].join(', ');
}

function known(item: Known<Integer>): string {
  return isUnavailable(item) ? `unknown (${item.reason})` : String(item);
}
