/** What each thread that is blocked waits for. */
import type { HandleRef, Known, RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import { announcedTag } from './announced-sends';
import { kindOfCall, operationOf } from './calls';
import { CollectiveWaits } from './collective-waits';
import { Communicators, type Communicator } from './communicators';
import {
  epochPartners,
  keptBy,
  mayKeepLocks,
  needsOnlyLocks,
  whoHasLocked,
  windowOf,
  windowRef,
  type OwnWindow,
} from './epochs';
import { leaderNeeds } from './intercomm-leaders';
import type { ProcessState } from './job-state';
import type { Message } from './message';
import { PendingMessages } from './messages';
import { needOfAnybody, reasonOf, type Need, type Wait } from './need';
import type { RankPosition } from './position';

export class Waits {
  readonly comms: Communicators;
  readonly messages: PendingMessages;
  private readonly collectives: CollectiveWaits;

  constructor(readonly processes: readonly ProcessState[]) {
    this.comms = new Communicators(processes);
    this.messages = new PendingMessages(processes, this.comms);
    this.collectives = new CollectiveWaits(processes, this.comms, this.messages);
  }

  of(process: number, position: RankPosition): Wait {
    const { call = '' } = position;
    const kind = kindOfCall(call);
    const needs = this.needsOf(process, position);
    return { process, position, call, mode: kind.kind === 'wait' ? kind.mode : 'AND', needs };
  }

  private needsOf(process: number, position: RankPosition): readonly Need[] {
    const { call = '', peer, tag, comm, source, receiveTag } = position;
    // Another thread of its own process has to act.
    if (call === '') {
      const openmp = this.processes[process]!.openmp?.find(({ thread }) => thread === position.tid);
      return [{ kind: 'thread', mode: 'AND', on: [process], ...(openmp === undefined ? {} : { openmp }) }];
    }
    const kind = kindOfCall(call);
    switch (kind.kind) {
      case 'receive':
        return [this.transfer('receive', process, comm, peer, tag, operationOf(call) === 'MPI_Recv')];
      case 'send':
        return [this.transfer('send', process, comm, peer, tag)];
      case 'sendReceive':
        return this.sendReceive(process, { comm, peer, tag, source, receiveTag });
      case 'wait':
        return this.requests(process, position.requests, kind.mode);
      case 'collective':
        return this.collective(process, position, kind.everyone);
      case 'window':
        return [this.window(process, position)];
      case 'buffered':
        return this.bufferedSends(process);
      case 'outside':
        return [this.outside(process, position)];
      case 'unknown':
        return [this.anybody(process, `what ${call} waits for is not known`)];
    }
  }

  private collective(process: number, position: RankPosition, everyone: boolean): readonly Need[] {
    const need = this.collectives.blocking(process, position, everyone);
    const leaders =
      need.happens === undefined
        ? undefined
        : leaderNeeds(process, position, this.processes, this.comms, this.messages);
    return leaders ?? [need];
  }

  /** `isPosted`: as long as nothing has come for it, it is among the posted receives. */
  private transfer(
    kind: 'receive' | 'send',
    process: number,
    comm: Known<HandleRef> | undefined,
    peer: RankPosition['peer'],
    tag: RankPosition['tag'],
    isPosted = false,
  ): Need {
    const on = this.comms.of(process, comm);
    if (on === undefined || peer === undefined || isUnavailable(peer))
      return this.pending(kind, process, on, reasonOf(peer) ?? reasonOf(comm) ?? 'the peer is not known');
    if (peer === 'MPI_PROC_NULL') return { kind, mode: 'AND', on: [], comm: on, happens: 'the peer is MPI_PROC_NULL' };
    const partner = peer === 'MPI_ANY_SOURCE' ? undefined : on.peers[peer];
    if (peer !== 'MPI_ANY_SOURCE' && partner === undefined)
      return {
        ...this.anybody(process, 'a process outside the job may act', on),
        happens: 'its partner is not in the job',
      };
    const message = {
      ...{ from: kind === 'receive' ? partner : process, to: kind === 'receive' ? process : partner },
      ...{ comm: on, tag: tag === undefined || isUnavailable(tag) ? undefined : tag },
    };
    const need = this.met(kind, process, message);
    // The library takes a receive from its queue as soon as a message for it comes.
    const isComing = isPosted && need.happens === undefined && this.messages.isReceiving(message) === false;
    return isComing ? { ...need, happens: 'its message is being received' } : need;
  }

  /** What the call was given is not known: it is one of the messages that are pending. */
  private pending(kind: 'receive' | 'send', process: number, comm: Communicator | undefined, reason: string): Need {
    const queue = kind === 'receive' ? 'posted' : 'sends';
    const found = this.messages
      .at(process)
      .filter((each) => each.queue === queue && !each.isInternal && (comm === undefined || each.comm.key === comm.key));
    const needs = found.map((message) => this.met(kind, process, message));
    const [need] = needs;
    if (need === undefined) {
      const arrived = kind === 'send' ? this.arrived(process, comm, reason) : undefined;
      const happens = this.mayHappen(process, queue, comm);
      return arrived ?? { ...this.anybody(process, reason, comm), ...(happens && { happens }) };
    }
    if (needs.length === 1) return need;
    const happens = needs.find((each) => each.happens !== undefined)?.happens;
    return {
      ...{ kind: 'vague', mode: 'OR', on: [...new Set(needs.flatMap((each) => each.on))], vague: reason },
      ...(happens === undefined ? {} : { happens }),
    };
  }

  /** Why one of those that the process tells of, whose arguments are not known, may be met. */
  private mayHappen(process: number, queue: 'posted' | 'sends', comm: Communicator | undefined): string | undefined {
    const kind = queue === 'posted' ? 'receive' : 'send';
    const own = this.messages.told.filter((each) => each.at === process && each.queue === queue && each.isVague);
    const on = own.filter((each) => comm === undefined || each.comm.key === comm.key);
    return on.flatMap((message) => this.met(kind, process, message).happens ?? [])[0];
  }

  /** A message that a process still sends has come to its receiver, unless that does not look for messages. */
  private arrived(process: number, comm: Communicator | undefined, vague: string): Need | undefined {
    const found = this.messages.all.filter(
      ({ from, queue, isInternal, comm: on }) =>
        from === process && queue === 'unexpected' && !isInternal && (comm === undefined || on.key === comm.key),
    );
    const [message] = found;
    if (message === undefined) return undefined;
    const elsewhere = this.processes.flatMap(({ positions }, other) =>
      positions.every(({ state }) => state === 'blocked' || state === 'finalizing' || state === 'ended') ? [] : [other],
    );
    const on = [...new Set([...found.map(({ at }) => at), ...elsewhere])].filter((other) => other !== process);
    return found.length === 1
      ? { kind: 'send', mode: 'OR', on, comm: message.comm, message }
      : { kind: 'vague', mode: 'OR', on, vague };
  }

  private met(kind: 'receive' | 'send', process: number, message: Message): Need {
    const { comm } = message;
    const partner = kind === 'receive' ? message.from : message.to;
    const partners = partner === undefined ? comm.peers : [partner];
    if (partners.some((each) => each === undefined))
      return {
        ...this.anybody(process, 'a process outside the job may act', comm),
        happens: 'a process outside the job may act',
      };
    const met = kind === 'receive' ? this.messages.sentFor(message) : this.messages.receiveFor(message);
    return {
      ...{ kind, mode: 'OR', on: partners as number[], comm, message },
      ...(met === undefined ? {} : { happens: met }),
    };
  }

  /** Nothing is pending of what is complete already; what is seen to be pending holds the call, whatever else may. */
  private sendReceive(process: number, args: Partial<RankPosition>): readonly Need[] {
    const { comm, peer, tag, source, receiveTag } = args;
    const send = this.transfer('send', process, comm, peer, tag);
    const receive = this.transfer('receive', process, comm, source, receiveTag);
    const isSending = send.message === undefined ? undefined : this.messages.isSending(send.message);
    const isReceiving = receive.message === undefined ? undefined : this.messages.isReceiving(receive.message);
    const sides = [
      { need: receive, isPending: isReceiving },
      { need: send, isPending: isSending },
    ];
    const pending = sides.filter(({ isPending }) => isPending === true);
    return (pending.length > 0 ? pending : sides.filter(({ isPending }) => isPending !== false)).map(
      ({ need }) => need,
    );
  }

  private requests(process: number, refs: RankPosition['requests'], mode: Wait['mode']): readonly Need[] {
    const { requests } = this.processes[process]!;
    if (refs === undefined || isUnavailable(refs)) {
      // One of those that are pending it is.
      return [this.anybody(process, reasonOf(refs) ?? 'which requests it waits for is not known')];
    }
    const byHandle = new Map(requests.map((info) => [info.handle, info]));
    const passed = refs.map(({ handle }) => ({ handle, info: byHandle.get(handle) }));
    // Calls that wait for one of several pass over null handles, and those that are not started.
    const started = passed.filter(({ info }) => info === undefined || !(isNull(info) || isInactive(info)));
    return (mode === 'OR' && started.length > 0 ? started : passed).map(({ handle, info }) =>
      info === undefined ? this.anybody(process, `the request ${handle} is not known`) : this.request(process, info),
    );
  }

  private request(process: number, info: RequestInfo): Need {
    const { operation, complete, active, comm, peer, tag, win } = info;
    if (active === false && complete === false)
      return { kind: 'vague', mode: 'AND', on: [], happens: 'its persistent request is not started' };
    if (complete === true || active === false || isNull(info) || operation === 'empty')
      return { kind: 'vague', mode: 'AND', on: [], happens: 'the request is complete' };
    switch (operation) {
      case 'send':
        return this.transfer('send', process, comm, peer, tag);
      case 'receive':
        return this.transfer('receive', process, comm, peer, tag, true);
      case 'partitionedSend':
        return this.partitionedSend(process, info);
      case 'partitionedReceive':
        return { ...this.transfer('receive', process, comm, peer, tag), isPartitioned: true };
      case 'collective':
      case 'commDup':
        return this.collectives.nonblocking(process, comm);
      case 'rma':
        return this.window(process, { win });
      default:
        return { ...this.anybody(process, 'the request may complete by itself'), happens: 'it may complete by itself' };
    }
  }

  /** Libraries that send its tag ahead do not keep it themselves. */
  private partitionedSend(process: number, { comm, peer, tag }: RequestInfo): Need {
    const need: Need = { ...this.transfer('send', process, comm, peer, tag), isPartitioned: true };
    const { message } = need;
    if (message?.to === undefined || message.tag !== undefined) return need;
    const own = announcedTag({ from: process, to: message.to, comm: message.comm }, this.processes, this.comms);
    return own === undefined ? need : { ...need, message: { ...message, tag: own } };
  }

  /** What leaves a buffer, MPI_Bsend's as well as others', is among the pending sends. */
  private bufferedSends(process: number): readonly Need[] {
    const sends = this.messages.at(process).filter(({ queue, isInternal }) => queue === 'sends' && !isInternal);
    const needs = sends.map((message) => this.met('send', process, message));
    return needs.length > 0 ? needs : [this.anybody(process, 'which messages of its buffer are pending is not known')];
  }

  /** For calls that are collective as well: before another job can help, all members have to come. */
  private outside(process: number, position: RankPosition): Need {
    const comm = this.comms.of(process, position.comm);
    const need = comm === undefined ? undefined : this.collectives.blocking(process, position, false);
    if (need !== undefined && need.happens === undefined && need.isComplete !== true) return need;
    return { ...this.anybody(process, 'another job has to come'), happens: 'another job may come' };
  }

  /** One of the processes of its epoch has to act. Who holds a lock is not known: one of the others. */
  private window(process: number, position: Pick<RankPosition, 'call' | 'comm' | 'win' | 'members' | 'peer'>): Need {
    const win = windowOf(this.processes[process]!, position.win);
    const sameOf = (other: number): OwnWindow | undefined => win && this.sameWindow(process, win, other);
    const partners = win && epochPartners(this.processes, process, position, win, sameOf);
    const served = win && this.comms.serving(process, { kind: 'win', handle: win.handle });
    const comm = this.comms.of(process, win?.comm) ?? served;
    const of = { ...(comm === undefined ? {} : { comm }), ...(win === undefined ? {} : { win: windowRef(win) }) };
    if (partners !== undefined) return { kind: 'window', ...partners, ...of };
    const keeps = keptBy(position, win);
    if (needsOnlyLocks(position.call) && !mayKeepLocks(this.processes, process, keeps))
      return { kind: 'window', mode: 'OR', on: [], ...of, happens: noLocks };
    if (comm === undefined) return { ...this.anybody(process, 'the window is not known'), kind: 'window', ...of };
    const others = comm.members.flatMap((member) => (member === process ? [] : (member ?? [])));
    const lockedBy = needsOnlyLocks(position.call) ? whoHasLocked(others, sameOf, keeps) : undefined;
    if (lockedBy === undefined) return { kind: 'window', mode: 'OR', on: others, ...of };
    // Some libraries grant a lock, and complete accesses, only while their owner is in MPI.
    const owner = typeof position.peer === 'number' ? comm.members[position.peer] : undefined;
    const owners = (owner === undefined ? others : [owner]).filter(
      (each) => each !== process && !lockedBy.includes(each) && !this.isInMpi(each),
    );
    return { kind: 'window', mode: 'OR', on: [...lockedBy, ...owners], ...of, lockedBy };
  }

  private isInMpi(process: number): boolean {
    const { error, positions } = this.processes[process]!;
    return error === undefined && positions.some(({ state }) => state === 'blocked' || state === 'finalizing');
  }

  /** As another process has it; undefined: it is not known which of its windows it is. */
  private sameWindow(process: number, win: OwnWindow, other: number): OwnWindow | undefined {
    const keyOf = (at: number, { handle, comm }: OwnWindow): string | undefined =>
      (this.comms.serving(at, { kind: 'win', handle }) ?? this.comms.of(at, comm))?.key;
    const key = keyOf(process, win);
    const found = this.processes[other]!.wins.filter((each) => key !== undefined && keyOf(other, each) === key);
    const own = this.processes[process]!.wins.filter((each) => keyOf(process, each) === key);
    return found.length === 1 && own.length === 1 ? found[0] : undefined;
  }

  private anybody(process: number, vague: string, comm?: Communicator): Need {
    return needOfAnybody(process, this.processes.length, vague, comm);
  }
}

const noLocks = 'no other rank holds a lock that could keep it';

/** A null handle has no operation, or 'null': what libraries put in the place of a request that is done. */
function isNull({ flags, operation }: RequestInfo): boolean {
  return flags.includes('requestNull') || operation === 'null';
}

/** Persistent, and not started. */
function isInactive({ active, complete }: RequestInfo): boolean {
  return active === false && complete === false;
}
