/** Messages that nearly are what somebody waits for: of the same two processes, but with another tag or communicator. */
import type { RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import type { Communicator } from './communicators';
import { byReceiver, fits, isFromAndTo, sameTag, type Message, type PendingMessage } from './message';
import type { Need } from './need';
import type { Waits } from './waits';

export interface NearMiss {
  differs: 'tag' | 'comm';
  /** What is waited for, and what is there. */
  need: Need;
  found: PendingMessage;
}

/** `blocked`: needs of processes: what they are in is pending, though the message layer may not show it. */
export function nearMissesIn(
  { messages }: Waits,
  blocked: readonly { process: number; need: Need }[],
  differs: NearMiss['differs'],
): (need: Need) => NearMiss[] {
  const all = [...messages.all, ...blocked.flatMap(asPending)].filter(({ isInternal }) => !isInternal);
  const mayReach = byReceiver(all);
  return (need) => {
    const { message, kind } = need;
    if (message === undefined || (kind !== 'receive' && kind !== 'send')) return [];
    return mayReach(message.to).flatMap((each): NearMiss[] => {
      if (!isCounterpart(message, kind, each)) return [];
      const [isSameComm, isSameTag] = [each.comm.key === message.comm.key, isTagAccepted(message, kind, each)];
      return isSameComm !== isSameTag && isSameComm === (differs === 'tag') ? [{ differs, need, found: each }] : [];
    });
  };
}

/**
 * Each with a message of its own as far as there are enough: of several between two processes the lowest tag that is waited
 * for with the lowest that is there, since a mistake that shifts tags keeps their order.
 */
export function pairedNearMisses<Waiting extends { need: Need }>(
  waiting: readonly Waiting[],
  missesOf: (need: Need) => readonly NearMiss[],
): { each: Waiting; nearMiss: NearMiss }[] {
  const ascending = waiting.toSorted((a, b) => tagOrder(a.need.message) - tagOrder(b.need.message));
  const taken = new Set<string>();
  const pairs = new Map<Waiting, NearMiss>();
  for (const each of ascending) {
    const misses = missesOf(each.need).toSorted((a, b) => tagOrder(a.found) - tagOrder(b.found));
    const nearMiss = misses.find(({ found }) => !taken.has(keyOf(found))) ?? misses[0];
    if (nearMiss === undefined) continue;
    taken.add(keyOf(nearMiss.found));
    pairs.set(each, nearMiss);
  }
  return waiting.flatMap((each) => {
    const nearMiss = pairs.get(each);
    return nearMiss === undefined ? [] : [{ each, nearMiss }];
  });
}

function tagOrder(message: Message | undefined): number {
  return typeof message?.tag === 'number' ? message.tag : -1;
}

/** What is seen in the queues of both sides is one message. */
function keyOf({ from, to, comm, tag, queue }: PendingMessage): string {
  return [from, to, comm.key, tag, queue === 'posted'].join();
}

function asPending({ process, need }: { process: number; need: Need }): PendingMessage[] {
  const { message, kind } = need;
  if (message === undefined || (kind !== 'receive' && kind !== 'send')) return [];
  return [{ ...message, at: process, queue: kind === 'send' ? 'sends' : 'posted', isInternal: false }];
}

function isCounterpart(message: Message, kind: 'receive' | 'send', each: PendingMessage): boolean {
  if (kind === 'send') return each.queue === 'posted' && isFromAndTo(each, message);
  return each.queue !== 'posted' && isFromAndTo(message, each);
}

function isTagAccepted(message: Message, kind: 'receive' | 'send', each: Message): boolean {
  return kind === 'send' ? sameTag(each.tag, message.tag) : sameTag(message.tag, each.tag);
}

/** The process that has a persistent request for it, and did not start it. */
export function neverStarted(need: Need, waits: Waits): number | undefined {
  const { message, kind } = need;
  const partner = kind === 'receive' ? message?.from : message?.to;
  if (partner === undefined) return undefined;
  const isFound = waits.processes[partner]!.requests.some(
    (info) => info.flags.includes('persistent') && info.active === false && isOtherSide(info, partner, need, waits),
  );
  return isFound ? partner : undefined;
}

/** Whether the process has started its side of it and not completed it. */
export function wasForgotten(process: number, need: Need, waits: Waits): boolean {
  return waits.processes[process]!.requests.some(
    (info) => info.complete === false && info.active !== false && isOtherSide(info, process, need, waits),
  );
}

/** Whether the request of `owner` is what the need asks for. */
function isOtherSide(info: RequestInfo, owner: number, need: Need, waits: Waits): boolean {
  const { flags, operation, peer, tag } = info;
  if (flags.includes('internal')) return false;
  const { message, kind, comm } = need;
  const on = commOf(info, owner, need, waits);
  if (on === undefined || comm?.key !== on.key) return false;
  if (kind === 'collective') return need.isNonblocking === true && operation === 'collective';
  if (message === undefined || (kind !== 'receive' && kind !== 'send')) return false;
  const other = kind === 'receive' ? /^(send|partitionedSend)$/ : /^(receive|partitionedReceive)$/;
  if (!other.test(operation) || typeof peer !== 'number') return false;
  const ends = kind === 'receive' ? { from: owner, to: on.peers[peer] } : { from: on.peers[peer], to: owner };
  const own: Message = { ...ends, comm: on, tag: tag === undefined || isUnavailable(tag) ? undefined : tag };
  return kind === 'receive' ? fits(message, own) : fits(own, message);
}

/** In MPI_Finalize communicators go before the requests on them: what is left of one then fits if nothing contradicts. */
function commOf({ comm }: RequestInfo, owner: number, need: Need, { comms }: Waits): Communicator | undefined {
  const found = comms.of(owner, comm);
  const isOther = comm !== undefined && !isUnavailable(comm) && comm.handle !== need.comm?.ref.handle;
  if (found !== undefined || isOther) return found;
  return need.comm?.members.includes(owner) === true ? need.comm : undefined;
}
