/** What is in a message queue, as people read it. */
import { counted } from '../../counted';
import { groupedBy } from '../../grouped-by';
import type { CommQueues, QueueItem } from '../../mpi/queue-records';
import type { Integer, Known } from '../../mpi/records';
import { isUnavailable } from '../../result';

export const queues = ['posted', 'unexpected', 'sends'] as const;
type Queue = (typeof queues)[number];

export const queueNames: Readonly<Record<Queue, string>> = {
  posted: 'posted receives',
  unexpected: 'unexpected messages',
  sends: 'pending sends',
};

const words: Readonly<Record<Queue, readonly [what: string, whichWay: string]>> = {
  posted: ['posted receive', 'from'],
  unexpected: ['unexpected message', 'from'],
  sends: ['pending send', 'to'],
};

/** Equal items of one queue. */
interface EqualItems {
  queue: Queue;
  /** "posted receive" */
  what: string;
  /** "from 1, tag 12, 4 bytes (3 times)" */
  text: string;
  items: readonly [QueueItem, ...QueueItem[]];
}

/** The items of all queues of a communicator, in their order. */
export function equalItems(comm: CommQueues): EqualItems[] {
  return queues.flatMap((queue) => {
    const items = comm[queue];
    if (isUnavailable(items)) return [];
    const groups = groupedBy(items, (item) => itemText(item, queue));
    return [...groups].map(([text, group]) => ({
      ...{ queue, what: words[queue][0] },
      text: group.length === 1 ? text : `${text} (${group.length} times)`,
      items: group as [QueueItem, ...QueueItem[]],
    }));
  });
}

export function itemTexts(comm: CommQueues): string[] {
  return equalItems(comm).map(({ what, text }) => `${what} ${text}`);
}

function itemText({ peer, tag, bytes, collective, internal }: QueueItem, queue: Queue): string {
  return [
    `${words[queue][1]} ${known(peer)}`,
    typeof tag === 'string' ? tag : `tag ${known(tag)}`,
    isUnavailable(bytes) ? 'size unknown' : counted(bytes, 'byte'),
    ...(collective === undefined ? (internal ? ['internal'] : []) : [`of ${collective}`]),
  ].join(', ');
}

function known(item: Known<Integer>): string {
  return isUnavailable(item) ? `unknown (${item.reason})` : String(item);
}
