/**
 * Where the message is that somebody waits for: a receive that nobody has waited for has taken it, a probe has matched it, or its
 * receive was cancelled. And the one that has come instead.
 */
import { groupedBy } from '../grouped-by';
import type { MessageInfo, RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import type { Need } from './need';
import { sameTag, type Message, type PendingMessage } from './messages';
import type { StuckNeed } from './stuck-job';
import type { Waits } from './waits';
import type { HangWords } from './words';

/** isSure: false where the library has forgotten the communicator. */
interface Taken {
  process: number;
  from: number;
  tag: number;
  isSure: boolean;
}

/** "rank 1 has a complete receive of a message from rank 0 with tag 8, for which nobody has waited: it has taken that message" */
export function takenTexts(needs: readonly StuckNeed[], waits: Waits, words: HangWords): string[] {
  const found = needs.flatMap(({ wait: { process, position }, need: { kind, message } }) => {
    if (kind !== 'receive' || message === undefined) return [];
    const { requests: awaited } = position;
    const own = awaited === undefined || isUnavailable(awaited) ? [] : awaited.map(({ handle }) => handle);
    const others = waits.processes[process]!.requests.filter(({ handle }) => !own.includes(handle));
    return others.flatMap((info) => takenBy(info, process, message, waits) ?? []);
  });
  const groups = groupedBy(found, (each) => JSON.stringify(each));
  return [...groups.values()].map((of) => takenText(of[0]!, of.length, words));
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

/** "rank 0's message with tag 8 on MPI_COMM_WORLD lies at rank 1, and nobody has taken it": that of another sender is all that has come. */
export function otherSourceTexts(needs: readonly StuckNeed[], { messages }: Waits, words: HangWords): string[] {
  const told = needs.flatMap(({ need: { kind, message } }) => {
    if (kind !== 'receive' || message?.from === undefined) return [];
    const isOne = ({ at, queue, isInternal, from, comm, tag }: PendingMessage): boolean =>
      at === message.to &&
      queue === 'unexpected' &&
      !isInternal &&
      from !== undefined &&
      from !== message.from &&
      comm.key === message.comm.key &&
      sameTag(message.tag, tag);
    const found = messages.all.filter(isOne);
    const [first] = found;
    // Where several have come, it is the order in which they are received.
    if (first === undefined || found.length > 1) return [];
    const tag = first.tag === undefined ? '' : ` with tag ${first.tag}`;
    return [
      `${words.ranks([first.from!])}'s message${tag}${words.onComm(first.comm)} lies at ${words.ranks([first.at])}, and nobody has taken it`,
    ];
  });
  return [...new Set(told)];
}

function isMessage(kind: Need['kind']): boolean {
  return kind === 'receive' || kind === 'send';
}

function takenText({ process, from, tag, isSure }: Taken, count: number, words: HangWords): string {
  const receives = count === 1 ? 'a complete receive of a message' : `${count} complete receives of messages`;
  const message = `${words.ranks([from])} with tag ${tag}`;
  const taken = count === 1 ? 'taken that message' : 'taken those messages';
  const it = count === 1 ? 'it' : 'they';
  const end = isSure
    ? `${it} ${count === 1 ? 'has' : 'have'} ${taken}`
    : `${it} may have ${taken}, if the communicator is the same`;
  return `${words.ranks([process])} has ${receives} from ${message}, for which nobody has waited: ${end}`;
}

/** What has come for a receive that asks for what `wanted` asks for. */
function takenBy(
  { operation, complete, active, flags, comm, status, peer, tag }: RequestInfo,
  process: number,
  wanted: Message,
  { comms }: Waits,
): Taken | undefined {
  if (operation !== 'receive' || complete !== true || active === false || flags.includes('internal')) return undefined;
  const isSure = comm !== undefined && !isUnavailable(comm);
  if (isSure && comms.of(process, comm)?.key !== wanted.comm.key) return undefined;
  const told = status === undefined || isUnavailable(status) || status.cancelled === true ? undefined : status;
  const [source, came] = [told?.source ?? peer, told?.tag ?? tag];
  if (typeof source !== 'number' || typeof came !== 'number') return undefined;
  const from = wanted.comm.peers[source];
  const isWanted = from !== undefined && (wanted.from ?? from) === from && sameTag(wanted.tag, came);
  return isWanted ? { process, from, tag: came, isSure } : undefined;
}
