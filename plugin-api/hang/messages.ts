/** Messages that are pending in all processes, as pairs of processes. */
import type { QueueItem } from '../mpi/queue-records';
import { groupedBy } from '../grouped-by';
import { isUnavailable } from '../result';
import type { Communicator, Communicators } from './communicators';
import type { ProcessState } from './job-state';
import { byReceiver, fits, sameTag, type Message, type PendingMessage, type ToldMessage } from './message';
import { transfersOfCalls } from './transfers-of-calls';

export class PendingMessages {
  /** Those in queues. */
  readonly all: readonly PendingMessage[];
  private readonly byPlace: ReadonlyMap<number, readonly PendingMessage[]>;
  /** Those that a process is to get, or may get. */
  readonly mayReach: (process: number | undefined) => readonly PendingMessage[];
  /** Those of processes whose queues are not known. */
  readonly told: readonly ToldMessage[];
  /** Processes with a queue that is not fully known. */
  private readonly unknown: Readonly<Record<PendingMessage['queue'], ReadonlySet<number>>>;

  constructor(processes: readonly ProcessState[], comms: Communicators) {
    const unknown = { posted: new Set<number>(), unexpected: new Set<number>(), sends: new Set<number>() };
    this.unknown = unknown;
    this.told = processes.flatMap((process, at) =>
      process.queues.length > 0 ? [] : transfersOfCalls(process, at, comms),
    );
    this.all = processes.flatMap(({ queues }, at) => {
      // Where they are known, each communicator has some, perhaps with nothing in them.
      if (queues.length === 0) for (const ofAll of Object.values(unknown)) ofAll.add(at);
      return queues.flatMap((ofComm) =>
        (['posted', 'unexpected', 'sends'] as const).flatMap((queue) => {
          const items = ofComm[queue];
          const comm = comms.of(at, ofComm.comm);
          // An item without a known peer may be any message.
          if (isUnavailable(items) || items.some(({ peer }) => isUnavailable(peer))) unknown[queue].add(at);
          return isUnavailable(items) || comm === undefined
            ? []
            : items.flatMap((item) => pendingMessage(item, at, queue, comm));
        }),
      );
    });
    this.byPlace = groupedBy(this.all, ({ at }) => at);
    this.mayReach = byReceiver(this.all);
  }

  /** Those in the queues of a process. */
  at(process: number | undefined): readonly PendingMessage[] {
    return (process === undefined ? undefined : this.byPlace.get(process)) ?? [];
  }

  /** Why a receive can end: what it asks for was sent. */
  sentFor(wanted: Message): string | undefined {
    const found = this.mayReach(wanted.to).find(
      (each) =>
        !each.isInternal &&
        each.queue !== 'posted' &&
        (each.queue === 'sends' || each.at === wanted.to) &&
        fits(wanted, each),
    );
    if (found !== undefined) return 'a message for it was sent';
    const told = this.told.filter((each) => each.queue === 'sends' && fits(wanted, each) && !isOwn(each, wanted.to));
    return whyMet(told, 'a message for it is being sent', 'what another rank sends may be for it');
  }

  /** Why a send can end: somebody asks for it. */
  receiveFor(sent: Message): string | undefined {
    const found = this.at(sent.to).find((each) => !each.isInternal && each.queue === 'posted' && fits(each, sent));
    if (found !== undefined) return 'a receive for it is posted';
    const told = this.told.filter((each) => each.queue === 'posted' && fits(each, sent) && !isOwn(each, sent.from));
    return whyMet(told, 'it is being received', 'what another rank receives may be this');
  }

  /** undefined: not known. */
  isSending({ from, to, comm, tag }: Message): boolean | undefined {
    if (from === undefined || this.unknown.sends.has(from)) return undefined;
    return this.at(from).some(
      (each) => each.queue === 'sends' && each.to === to && each.comm.key === comm.key && sameTag(tag, each.tag),
    );
  }

  isReceiving({ to, comm, tag }: Message): boolean | undefined {
    if (to === undefined || this.unknown.posted.has(to)) return undefined;
    return this.at(to).some((each) => each.queue === 'posted' && each.comm.key === comm.key && sameTag(tag, each.tag));
  }
}

/** Whatever else of the same process is not known. */
function isOwn({ at, isVague }: ToldMessage, process: number | undefined): boolean {
  return isVague && at === process;
}

function whyMet(told: readonly ToldMessage[], surely: string, perhaps: string): string | undefined {
  if (told.some(({ isVague }) => !isVague)) return surely;
  return told.length > 0 ? perhaps : undefined;
}

function pendingMessage(
  { peer, tag, collective, internal }: QueueItem,
  at: number,
  queue: PendingMessage['queue'],
  comm: Communicator,
): PendingMessage[] {
  if (isUnavailable(peer)) return [];
  const other = peer === 'MPI_ANY_SOURCE' ? undefined : comm.peers[peer];
  if (peer !== 'MPI_ANY_SOURCE' && other === undefined) return [];
  return [
    {
      ...{ at, queue, comm, isInternal: internal === true },
      ...(queue === 'sends' ? { from: at, to: other } : { from: other, to: at }),
      tag: isUnavailable(tag) ? undefined : tag,
      ...(collective === undefined ? {} : { collective }),
    },
  ];
}
