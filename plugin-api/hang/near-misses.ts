/** Messages that nearly are what somebody waits for: of the same two processes, but with another tag or communicator. */
import { isUnavailable } from '../result';
import { fits, isFromAndTo, sameTag, type Message, type PendingMessage } from './messages';
import type { Need, Waits } from './waits';

export interface NearMiss {
  differs: 'tag' | 'comm';
  /** What is waited for, and what is there. */
  need: Need;
  found: PendingMessage;
}

/** Those on another communicator first: of them the tag fits. */
export function nearMissesOf(need: Need, { messages }: Waits): NearMiss[] {
  const { message, kind } = need;
  if (message === undefined || (kind !== 'receive' && kind !== 'send')) return [];
  const found = messages.all.flatMap((each): NearMiss[] => {
    if (each.isInternal || !isCounterpart(message, kind, each)) return [];
    const [isSameComm, isSameTag] = [each.comm.key === message.comm.key, isTagAccepted(message, kind, each)];
    if (isSameComm === isSameTag) return [];
    return [{ differs: isSameComm ? 'tag' : 'comm', need, found: each }];
  });
  return found.sort((a, b) => Number(a.differs === 'tag') - Number(b.differs === 'tag'));
}

function isCounterpart(message: Message, kind: 'receive' | 'send', each: PendingMessage): boolean {
  if (kind === 'send') return each.queue === 'posted' && isFromAndTo(each, message);
  return each.queue !== 'posted' && isFromAndTo(message, each);
}

function isTagAccepted(message: Message, kind: 'receive' | 'send', each: Message): boolean {
  return kind === 'send' ? sameTag(each.tag, message.tag) : sameTag(message.tag, each.tag);
}

/** The process that has a persistent request for it, and did not start it. */
export function neverStarted({ message, kind }: Need, { processes, comms }: Waits): number | undefined {
  if (message === undefined || (kind !== 'receive' && kind !== 'send')) return undefined;
  const partner = kind === 'receive' ? message.from : message.to;
  if (partner === undefined) return undefined;
  const operation = kind === 'receive' ? /^(send|partitionedSend)$/ : /^(receive|partitionedReceive)$/;
  const isFound = processes[partner]!.requests.some(({ flags, active, operation: own, comm, peer, tag }) => {
    if (!flags.includes('persistent') || active !== false || !operation.test(own)) return false;
    const on = comms.of(partner, comm);
    if (on === undefined || typeof peer !== 'number') return false;
    const ends = kind === 'receive' ? { from: partner, to: on.peers[peer] } : { from: on.peers[peer], to: partner };
    const other: Message = { ...ends, comm: on, tag: tag === undefined || isUnavailable(tag) ? undefined : tag };
    return kind === 'receive' ? fits(message, other) : fits(other, message);
  });
  return isFound ? partner : undefined;
}
