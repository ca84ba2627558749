/** The Message Queues view: what is posted, has arrived or is being sent, by rank and communicator. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import { equalItems, queueNames, queues } from '../../plugin-api/answers/text/queue-item';
import { describeRef } from '../../plugin-api/mpi/describe-ref';
import type { QueueItem, RankQueues } from '../../plugin-api/mpi/queue-records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { nameInSet, ranksIn } from '../ranks/rank-numbers';
import { nameOfId, wordsOfRanks } from '../ranks/rank-text';
import { failureRows } from './failure-rows';
import type { Row } from './row';

export async function queueRows(job: JobClient): Promise<Row[]> {
  const { ranks } = await job.queues();
  const rows = ranks.flatMap((rank, index): Row[] => {
    return 'error' in rank ? [] : [rankRow(rank, `rank ${index}`)];
  });
  const quiet = rows.filter(({ ranks: set, children = [] }) => set !== undefined && children.length === 0);
  const asked = quiet.length < 2 ? rows : [...rows.filter((row) => !quiet.includes(row)), quietRow(quiet)];
  return [...asked, ...failureRows(ranks)];
}

/** Folds the quiet ranks into one row: among many, those where something is pending would be hard to find. */
function quietRow(quiet: readonly Row[]): Row {
  const ranks = namesOfRanks(quiet.flatMap(({ ranks: name = '' }) => ranksIn(name))).set.join();
  return { id: 'quiet', label: wordsOfRanks(ranks), description: nothing(), context: 'ranks', ranks };
}

const icons = { posted: 'inbox', unexpected: 'mail', sends: 'arrow-right' } as const;

const nothing = (): string => l10n.t('nothing is pending');

function rankRow(rank: RankQueues, id: string): Row {
  const comms = rank.comms.flatMap((comm, index) => {
    const items = equalItems(comm);
    return items.length === 0 ? [] : [{ comm: comm.comm, items, id: `${id}/${index}` }];
  });
  const count = comms.reduce((sum, { items }) => sum + items.length, 0);
  const name = nameInSet(rank);
  const notes = [...unknownQueues(rank), ...(rank.notes ?? [])];
  return {
    ...{ id, label: nameOfId(rank), isOpen: true },
    description: count === 0 ? nothing() : '',
    ...(name === undefined ? {} : { context: 'ranks' as const, ranks: name }),
    children: [
      ...comms.map(({ comm, items, id: commId }): Row => ({
        ...{ id: commId, label: describeRef(comm), isOpen: true },
        // What tells one message from another first: the end is cut in a narrow view.
        children: items.map(({ queue, what, text, items: [item] }, index) => ({
          ...{ id: `${commId}/${index}`, label: text, description: what, icon: new vscode.ThemeIcon(icons[queue]) },
          ...toVariable(rank, item),
        })),
      })),
      ...notes.map((text, index) => ({
        ...{ id: `${id}/note ${index}`, label: text },
        icon: new vscode.ThemeIcon('info'),
      })),
    ],
  };
}

function toVariable({ rank, world }: RankQueues, { request }: QueueItem): Pick<Row, 'context' | 'handle'> {
  if (rank === null || request === undefined) return {};
  return {
    context: 'message',
    handle: () => ({ rank, ...(world && { world }), kind: 'request', handle: request.handle }),
  };
}

/** What is unknown is so for all communicators of a rank. */
function unknownQueues({ comms: [comm] }: RankQueues): string[] {
  return queues.flatMap((queue) => {
    const items = comm?.[queue];
    return isUnavailable(items) ? [`${queueNames[queue]}: ${items.reason}`] : [];
  });
}
