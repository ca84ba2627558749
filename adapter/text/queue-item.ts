/** What is in a message queue, as people read it. */
import { counted } from '../../plugin-api/counted';
import type { CommQueues, QueueItem } from '../../plugin-api/mpi/queue-records';
import type { Integer, Known } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';

export const queues = ['posted', 'unexpected', 'sends'] as const;
type Queue = (typeof queues)[number];

export const queueNames: Readonly<Record<Queue, string>> = {
  posted: 'posted receives',
  unexpected: 'unexpected messages',
  sends: 'pending sends',
};

const words: Readonly<Record<Queue, string>> = {
  posted: 'posted receive from',
  unexpected: 'unexpected message from',
  sends: 'pending send to',
};

/** Of all queues of a communicator, in their order; equal items of one queue are one text, with their number. */
export function itemTexts(comm: CommQueues): string[] {
  return queues.flatMap((queue) => {
    const items = comm[queue];
    if (isUnavailable(items)) return [];
    const counts = new Map<string, number>();
    for (const item of items) {
      const text = itemText(item, queue);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
  });
}

function itemText({ peer, tag, bytes, collective, internal }: QueueItem, queue: Queue): string {
  return [
    `${words[queue]} ${known(peer)}`,
    typeof tag === 'string' ? tag : `tag ${known(tag)}`,
    isUnavailable(bytes) ? 'size unknown' : counted(bytes, 'byte'),
    ...(collective === undefined ? (internal ? ['internal'] : []) : [`of ${collective}`]),
  ].join(', ');
}

function known(item: Known<Integer>): string {
  return isUnavailable(item) ? `unknown (${item.reason})` : String(item);
}
