/**
 * Where the message is that somebody waits for: a receive that nobody has waited for has taken it, a probe has matched it, or its
 * receive was cancelled. And the one that has come instead.
 */
import { groupedBy } from '../grouped-by';
import { handleCallText } from '../mpi/history';
import type { Hex, MessageInfo, RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import type { Need } from './need';
import { neverStarted } from './near-misses';
import { sameTag, type Message, type PendingMessage } from './message';
import type { StuckNeed } from './stuck-job';
import type { Waits } from './waits';
import type { HangWords } from './words';

/** A receive that is complete, and for which nobody has waited. */
export interface TakenMessage {
  process: number;
  /** The request's handle. */
  handle: Hex;
  from: number;
  tag: number;
  /** It takes messages from anybody, or with any tag. */
  isWild: boolean;
  /** False where the library has forgotten the communicator. */
  hasComm: boolean;
  /** "MPI_Irecv at a.f90:9", where calls are collected. */
  posted?: string;
}

/** What complete receives have taken of what these wait for: each request once. */
export function takenMessages(needs: readonly StuckNeed[], waits: Waits): TakenMessage[] {
  const found = needs.flatMap(({ wait: { process, position }, need: { kind, message } }) => {
    if (kind !== 'receive' || message === undefined) return [];
    const { requests: awaited } = position;
    const own = awaited === undefined || isUnavailable(awaited) ? [] : awaited.map(({ handle }) => handle);
    const others = waits.processes[process]!.requests.filter(({ handle }) => !own.includes(handle));
    return others.flatMap((info) => takenBy(info, process, message, waits) ?? []);
  });
  return [...groupedBy(found, ({ process, handle }) => `${process} ${handle}`).values()].map(([first]) => first!);
}

/** "rank 1 waits for one more: it has a complete receive of a message from rank 0 with tag 8, for which nobody has waited" */
export function takenTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const alike = ({ handle: _handle, ...each }: TakenMessage): string => JSON.stringify(each);
  return [...groupedBy(takenMessages(needs, waits), alike).values()].map((of) => takenText(of[0]!, of.length, words));
}

/** "rank 1 has matched a message from rank 0 with tag 8 by a probe (MPI_Mprobe or MPI_Improbe), and has not received it" */
export function matchedTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const told = needs.flatMap(({ wait: { call }, need: { kind, message } }) => {
    const to = message?.to;
    if (to === undefined || !isMessage(kind) || /mrecv$/.test(call)) return [];
    return (waits.processes[to]!.matched ?? []).flatMap((each) => {
      const found = matchedBy(each, to, message!, waits);
      if (found === undefined) return [];
      return [
        `${words.ranks([to])} has matched a message from ${words.ranks([found.from])} with tag ${found.tag}${words.onComm(message!.comm)} ` +
          'by a probe (MPI_Mprobe or MPI_Improbe), and has not received it',
      ];
    });
  });
  return [...new Set(told)];
}

/** What is told of one message tells of all that are sent alike. */
function matchedBy(
  { comm, peer, tag }: MessageInfo,
  to: number,
  wanted: Message,
  { comms }: Waits,
): { from: number; tag: number } | undefined {
  if (isUnavailable(comm) || typeof peer !== 'number' || typeof tag !== 'number') return undefined;
  const on = comms.of(to, comm);
  const from = on?.peers[peer];
  if (from === undefined || on?.key !== wanted.comm.key) return undefined;
  return (wanted.from ?? from) === from && sameTag(wanted.tag, tag) ? { from, tag } : undefined;
}

/** "rank 1 has cancelled a receive of a message from rank 0 with tag 8": as far as the library keeps what it was for. */
export function cancelledTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const told = needs.flatMap(({ need: { kind, message } }) => {
    const to = message?.to;
    if (kind !== 'send' || to === undefined) return [];
    const isOne = ({ operation, flags, comm, peer, tag }: RequestInfo): boolean => {
      if (operation !== 'receive' || !flags.includes('cancelled') || comm === undefined || isUnavailable(comm))
        return false;
      const on = comms.of(to, comm);
      if (on?.key !== message!.comm.key || tag === undefined || isUnavailable(tag)) return false;
      const isFrom = peer === 'MPI_ANY_SOURCE' || (typeof peer === 'number' && on.peers[peer] === message!.from);
      return isFrom && sameTag(tag, message!.tag);
    };
    const { comms } = waits;
    return waits.processes[to]!.requests.some(isOne)
      ? [`${words.ranks([to])} has cancelled a receive of this message`]
      : [];
  });
  return [...new Set(told)];
}

/**
 * "rank 0's message with tag 8 on MPI_COMM_WORLD lies at rank 1, and nobody has taken it": another sender's, one that has gone to another
 * rank, or one with another tag on another communicator.
 */
export function strayTexts(needs: readonly StuckNeed[], { messages }: Waits, words: HangWords): string[] {
  const lying = messages.all.filter(({ queue, isInternal }) => queue === 'unexpected' && !isInternal);
  const lyingAt = groupedBy(lying, ({ at }) => at);
  const sentBy = groupedBy(lying, ({ from }) => from);
  const told = needs.flatMap(({ need: { kind, message } }) => {
    if (kind !== 'receive' || message === undefined) return [];
    // Whoever asks for anything from anybody would take each of them.
    if (message.from === undefined && typeof message.tag !== 'number') return [];
    const isStray = ({ at, from, comm, tag }: PendingMessage): boolean => {
      const isOwn = message.from === undefined || from === message.from;
      if (from === undefined || (at !== message.to && !isOwn)) return false;
      const [isSameComm, isSameTag] = [comm.key === message.comm.key, sameTag(message.tag, tag)];
      return at === message.to && isOwn ? !isSameComm && !isSameTag : isSameComm && isSameTag;
    };
    const { from: sender, to } = message;
    const near = [lyingAt.get(to!) ?? [], sentBy.get(sender) ?? []].flat();
    const found = (sender === undefined ? lying : [...new Set(near)]).filter(isStray);
    const [first] = found;
    // Where several have come, it is the order in which they are received.
    if (first === undefined || found.length > 1) return [];
    const tag = first.tag === undefined ? '' : ` with tag ${first.tag}`;
    const { from, at } = first;
    const what = `message${tag}${words.onComm(first.comm)}`;
    return [
      from === at
        ? `${words.ranks([at])} has sent a ${what} to itself, and nobody has taken it`
        : `${words.ranks([from!])}'s ${what} lies at ${words.ranks([at])}, and nobody has taken it`,
    ];
  });
  return [...new Set(told)];
}

/** "rank 1 has a persistent request for it that is not started" */
export function neverStartedTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const owners = needs.flatMap(({ need }) => neverStarted(need, waits) ?? []);
  return [...new Set(owners)].map((owner) => neverStartedText([owner], words));
}

export function neverStartedText(owners: readonly number[], words: HangWords): string {
  return `${words.ranks(owners)} has a persistent request for it that is not started`;
}

function isMessage(kind: Need['kind']): boolean {
  return kind === 'receive' || kind === 'send';
}

function takenText(taken: TakenMessage, count: number, words: HangWords): string {
  const { process, from, tag, isWild, hasComm, posted } = taken;
  const [receives, messages] =
    count === 1 ? ['a complete receive', 'a message'] : [`${count} complete receives`, 'messages'];
  const what = `${receives}${isWild ? ' from any source or with any tag' : ''}`;
  const place = posted === undefined ? '' : ` (${posted})`;
  const own = words.ranks([process]);
  const has = `${what}${place}, for which nobody has waited, and which took ${messages} from ${words.ranks([from])} with tag ${tag}`;
  return hasComm
    ? `${own} waits for one more: it has ${has}`
    : `${own} has ${has}; the library does not keep on which communicator`;
}

/** What has come for a receive that asks for what `wanted` asks for. */
function takenBy(
  { handle, operation, complete, active, flags, comm, status, peer, tag, history }: RequestInfo,
  process: number,
  wanted: Message,
  { comms }: Waits,
): TakenMessage | undefined {
  if (operation !== 'receive' || complete !== true || active === false || flags.includes('internal')) return undefined;
  const hasComm = comm !== undefined && !isUnavailable(comm);
  if (hasComm && comms.of(process, comm)?.key !== wanted.comm.key) return undefined;
  const told = status === undefined || isUnavailable(status) || status.cancelled === true ? undefined : status;
  const [source, came] = [told?.source ?? peer, told?.tag ?? tag];
  if (typeof source !== 'number' || typeof came !== 'number') return undefined;
  const from = wanted.comm.peers[source];
  const isWanted = from !== undefined && (wanted.from ?? from) === from && sameTag(wanted.tag, came);
  if (!isWanted) return undefined;
  const isWild = peer === 'MPI_ANY_SOURCE' || tag === 'MPI_ANY_TAG';
  const posted = history?.created && handleCallText(history.created);
  return { process, handle, from, tag: came, isWild, hasComm, ...(posted === undefined ? {} : { posted }) };
}
