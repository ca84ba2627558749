/** The message queues of one process, sorted by communicator. */
import { counted } from '../counted';
import { isUnavailable, QueryError, type Result, unavailable } from '../result';
import type { MessageCounters, PendingMessage } from './message-queues';
import type { MpiProcess } from './plugin';
import type { CommQueues, QueueItem } from './queue-records';
import type { CommInfo, HandleRef, Known } from './records';

export interface SortedQueues {
  comms: { info: CommInfo; queues: CommQueues }[];
  /** One sentence for each reason why messages belong to none of them. */
  notes: string[];
  counters?: Result<MessageCounters[]>;
}

/** `withInternal`: includes the library's own messages and communicators. Throws QueryError if no queue can be read. */
export async function queuesByComm(process: MpiProcess, withInternal: boolean): Promise<SortedQueues> {
  const queues = await process.messageQueues?.();
  if (queues === undefined)
    throw new QueryError(
      'MPIDBG_ERR_NOT_SUPPORTED',
      `the message queues of ${process.implementation.name} are not decoded`,
    );
  if (!queues.ok) throw new QueryError(queues.code, queues.reason);
  const sorted = {
    posted: byComm(queues.value.posted, withInternal),
    unexpected: byComm(queues.value.unexpected, withInternal),
    sends: byComm(queues.value.sends, withInternal),
  };
  const comms = (await listComms(process, withInternal)).map((info) => {
    const { posted, unexpected, sends } = sorted;
    const comm = refOf(info);
    return { info, queues: { comm, posted: posted.of(comm), unexpected: unexpected.of(comm), sends: sends.of(comm) } };
  });
  const names = { posted: 'posted receive', unexpected: 'unexpected message', sends: 'pending send' };
  const notes = (['posted', 'unexpected', 'sends'] as const).flatMap((queue) =>
    [...sorted[queue].elsewhere].map(([reason, count]) => `${counted(count, names[queue])}: ${reason}`),
  );
  const { counters } = queues.value;
  return { comms, notes, ...(counters === undefined ? {} : { counters }) };
}

interface Sorted {
  of(comm: HandleRef): Known<QueueItem[]>;
  /** Reason → number of messages whose communicator is unknown. */
  elsewhere: ReadonlyMap<string, number>;
}

function byComm(queue: Result<PendingMessage[]>, withInternal: boolean): Sorted {
  if (!queue.ok) {
    const { code, reason } = queue;
    return { of: () => unavailable(code, reason), elsewhere: new Map() };
  }
  const items = new Map<string, QueueItem[]>();
  const elsewhere = new Map<string, number>();
  for (const { comm, isInternal, ...item } of queue.value) {
    if (isInternal && !withInternal) continue;
    if (isUnavailable(comm)) elsewhere.set(comm.reason, (elsewhere.get(comm.reason) ?? 0) + 1);
    else {
      const ofComm = items.get(comm.handle) ?? [];
      ofComm.push(isInternal ? { ...item, internal: true } : item);
      items.set(comm.handle, ofComm);
    }
  }
  return { of: ({ handle }) => items.get(handle) ?? [], elsewhere };
}

async function listComms(process: MpiProcess, withInternal: boolean): Promise<CommInfo[]> {
  const handles = await process.handles('comm');
  if (!handles.ok) throw new QueryError(handles.code, handles.reason);
  const found: CommInfo[] = [];
  for (const handle of handles.value) {
    const comm = await process.query('comm', handle);
    if (comm.ok && isListed(comm.value, withInternal)) found.push(comm.value);
  }
  return found;
}

function isListed({ flags }: CommInfo, withInternal: boolean): boolean {
  return !flags.includes('commNull') && (withInternal || !flags.includes('internal'));
}

function refOf({ handle, name, serves }: CommInfo): HandleRef {
  return {
    ...{ kind: 'comm', handle },
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(serves === undefined || isUnavailable(serves) ? {} : { serves }),
  };
}
