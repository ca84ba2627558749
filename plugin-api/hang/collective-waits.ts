/** What a thread waits for in a collective operation: members that have not come, or whose messages it still needs. */
import type { HandleRef, Known } from '../mpi/records';
import { isUnavailable } from '../result';
import { isNeighborhood, isOfGroup, isOnFile, isOnWindow, isRooted, operationOf } from './calls';
import { carries, type Communicator, type Communicators } from './communicators';
import type { ProcessState } from './job-state';
import { fits, type PendingMessage } from './message';
import type { PendingMessages } from './messages';
import { needOfAnybody, reasonOf, type Need, type PendingBlocks } from './need';
import type { RankPosition } from './position';
import { StartedOperations } from './started-operations';

interface Missing {
  missing: Communicator['members'];
  here: readonly number[];
}

export class CollectiveWaits {
  private readonly started: StartedOperations;
  /** By communicator, operation and root. */
  private readonly missingIn = new Map<string, Missing>();

  constructor(
    private readonly processes: readonly ProcessState[],
    private readonly comms: Communicators,
    private readonly messages: PendingMessages,
  ) {
    this.started = new StartedOperations(processes, comms, messages);
  }

  blocking(process: number, position: RankPosition, everyone: boolean): Need {
    const comm = this.commOf(process, position);
    if (comm === undefined)
      return {
        ...needOfAnybody(process, this.processes.length, reasonOf(position.comm) ?? 'the communicator is not known'),
        kind: 'collective',
      };
    const { missing, here } = this.missing(process, comm, position);
    if (missing.length === 0) {
      const senders = this.sendersFor(process, comm, position.call!);
      const pending = { from: senders, to: [] };
      if (senders.length > 0) return { kind: 'collective', mode: 'AND', on: senders, comm, isComplete: true, pending };
    }
    // Between two groups nobody waits for all.
    if (here.length > 0 && (!everyone || comm.isIntercomm)) {
      const partial = { kind: 'collective', comm, isPartial: true } as const;
      const pending = pendingBlocks(this.internalMessages(process, comm, position.call!));
      const partners = bothOf(pending);
      if (partners.length > 0) return { ...partial, mode: 'AND', on: partners, pending };
      const others = pendingBlocks(this.messagesOfNeighbors(process, comm, position.call!));
      const neighbors = bothOf(others);
      if (neighbors.length > 0) return { ...partial, mode: 'OR', on: neighbors, pending: others };
    }
    return {
      ...{ kind: 'collective', mode: everyone && !comm.isIntercomm ? 'AND' : 'OR', on: here, comm },
      ...(missing.length === 0 ? { happens: 'all members have come' } : {}),
      ...(here.length < missing.length ? { happens: 'a member is not in the job' } : {}),
    };
  }

  /** Who has to call it and does not; `here`: those of them that are in the job. Each of many ranks in it misses the same. */
  private missing(process: number, comm: Communicator, position: RankPosition): Missing {
    const { call = '', root, members } = position;
    const isAlike = !comm.isIntercomm && members === undefined && !isOfGroup(call);
    const key = isAlike ? `${comm.key} ${operationOf(call)} ${JSON.stringify(root)}` : undefined;
    const known = key === undefined ? undefined : this.missingIn.get(key);
    if (known !== undefined) return known;
    const missing = this.membersOf(comm, position).filter(
      (member) =>
        member === undefined ||
        !(this.isIn(member, process, comm, position) || this.hasDisconnected(member, comm, call)),
    );
    const found = { missing, here: missing.filter((member) => member !== undefined) };
    if (key !== undefined) this.missingIn.set(key, found);
    return found;
  }

  /** Some libraries do not let members of MPI_Comm_disconnect wait for each other: those that have left it have no such communicator any more, in MPI_Finalize none at all. */
  private hasDisconnected(member: number, comm: Communicator, call: string): boolean {
    return operationOf(call) === 'MPI_Comm_disconnect' && this.comms.as(member, comm) === undefined;
  }

  /** Who has to call it. */
  private membersOf(comm: Communicator, position: RankPosition): Communicator['members'] {
    const { members } = comm;
    const { members: ofGroup } = position;
    if (comm.isIntercomm && isRooted(position.call ?? '')) return membersWithRoot(comm, position);
    if (ofGroup === undefined || isUnavailable(ofGroup)) return members;
    return members.filter((member) => {
      const rank = member === undefined ? null : this.processes[member]!.id.rank;
      return rank === null || ofGroup.includes(rank);
    });
  }

  /** MPICH does it by a nonblocking operation: one of those whose messages are pending has to act, whichever operation's they are. */
  private messagesOfNeighbors(process: number, comm: Communicator, call: string): PendingMessage[] {
    if (!isNeighborhood(call)) return [];
    return this.messages
      .at(process)
      .filter(({ queue, isInternal, comm: on }) => queue !== 'unexpected' && isInternal && on.key === comm.key);
  }

  /** Whose messages it needs that nobody has sent; a message that is being received is not in a queue any more. */
  private sendersFor(process: number, comm: Communicator, call: string): number[] {
    const own = this.internalMessages(process, comm, call);
    const posted = (own.length > 0 ? own : this.messagesOfNeighbors(process, comm, call)).filter(
      ({ queue }) => queue === 'posted',
    );
    const isSent = posted.some((wanted) =>
      this.messages.mayReach(wanted.to).some((each) => each.queue !== 'posted' && fits(wanted, each)),
    );
    return isSent ? [] : [...new Set(posted.flatMap(({ from }) => from ?? []))];
  }

  /** What it posted and sends for this collective operation. */
  private internalMessages(process: number, comm: Communicator, call: string): PendingMessage[] {
    // Those of a nonblocking operation look alike where the library does not tell whose they are.
    const isAlone = !this.started.has(process, comm);
    const operation = asSent(call);
    return this.messages
      .at(process)
      .filter(
        ({ queue, isInternal, comm: on, collective }) =>
          queue !== 'unexpected' &&
          isInternal &&
          (on.key === comm.key || isForGroup(on, comm) || carries(on, comm)) &&
          (collective === undefined ? isAlone : collective === operation),
      );
  }

  /** The communicator of a collective call, or of its window or file. */
  commOf(process: number, { call = '', comm, win, file }: RankPosition): Communicator | undefined {
    const { wins, files } = this.processes[process]!;
    const found = this.comms.of(process, comm);
    if (found !== undefined) return found;
    const refs: readonly [
      boolean,
      Known<HandleRef> | undefined,
      readonly { handle: string; comm?: Known<HandleRef> }[],
    ][] = [
      [isOnWindow(call), win, wins],
      [isOnFile(call), file, files],
    ];
    for (const [isOn, ref, infos] of refs) {
      if (!isOn || ref === undefined) continue;
      // A file that is being closed may be in no list any more.
      const handle = isUnavailable(ref) ? (/_close$/.test(call) ? undefined : onlyOf(infos)) : ref.handle;
      if (handle === undefined) continue;
      const served: HandleRef = { kind: isOnFile(call) ? 'file' : 'win', handle };
      return (
        this.comms.of(process, infos.find((info) => info.handle === handle)?.comm) ??
        this.comms.serving(process, served)
      );
    }
    return undefined;
  }

  /** Whether a thread of the process is in the same operation; one of which that is not known may be. */
  private isIn(member: number, process: number, comm: Communicator, { call = '', root, tag }: RankPosition): boolean {
    return this.processes[member]!.positions.some((other) => {
      if (other.call === undefined || operationOf(other.call) !== operationOf(call)) return false;
      const otherComm = this.commOf(member, other);
      if (otherComm !== undefined && otherComm.key !== comm.key) return false;
      if (isOfGroup(call) && [tag, other.tag].every((each) => typeof each === 'number') && tag !== other.tag)
        return false;
      const roots = [root, other.root];
      if (roots.some((each) => each === undefined || isUnavailable(each)) || otherComm === undefined) return true;
      return comm.isIntercomm
        ? rootOf(process, comm, root) === rootOf(member, otherComm, other.root)
        : root === other.root;
    });
  }

  nonblocking(process: number, ref: Known<HandleRef> | undefined): Need {
    const comm = this.comms.of(process, ref);
    if (comm === undefined)
      return needOfAnybody(process, this.processes.length, reasonOf(ref) ?? 'the communicator is not known');
    const missing = comm.members.filter((member) => member === undefined || !this.started.has(member, comm));
    if (missing.length === 0) {
      const others = this.started.inEachOthersWay(process, comm);
      if (others !== undefined)
        return { kind: 'collective', mode: 'OR', on: others, comm, isNonblocking: true, isComplete: true };
    }
    const absent = missing.filter((member) => member !== undefined);
    // Others may have done their part, and completed theirs.
    const { needed, through } = this.started.partnersWithout(process, comm, absent);
    const on = needed.length > 0 ? needed : absent;
    const pending = pendingBlocks(this.started.messages(process, comm));
    return {
      ...{ kind: 'collective', mode: 'OR', on, comm, isNonblocking: true, pending, others: through },
      ...(missing.length === 0 || absent.length < missing.length ? { happens: 'all members have started one' } : {}),
    };
  }
}

/** Whether it is the library's own one of a process' group, over which a part of the operations of an intercommunicator goes. */
function isForGroup({ ref: { serves } }: Communicator, { isIntercomm, ref }: Communicator): boolean {
  return isIntercomm && serves?.kind === 'comm' && serves.handle === ref.handle;
}

/** Over an intercommunicator the root's group does nothing, but for the root: its other members leave at once. */
function membersWithRoot({ members, peers }: Communicator, { root }: RankPosition): Communicator['members'] {
  if (root === 'MPI_ROOT') return peers;
  const own = members.slice(0, members.length - peers.length);
  return typeof root === 'number' ? [...own, peers[root]] : members;
}

/** Whom a process takes for the root of an operation over an intercommunicator. */
function rootOf(process: number, { peers }: Communicator, root: RankPosition['root']): number | undefined {
  return root === 'MPI_ROOT' ? process : typeof root === 'number' ? peers[root] : undefined;
}

/** With whom it exchanges these messages, as far as the library shows: none of them has done its part yet. */
function pendingBlocks(messages: readonly PendingMessage[]): PendingBlocks {
  return {
    from: [...new Set(messages.flatMap(({ queue, from }) => (queue === 'posted' ? (from ?? []) : [])))],
    to: [...new Set(messages.flatMap(({ queue, to }) => (queue === 'sends' ? (to ?? []) : [])))],
  };
}

function bothOf({ from, to }: PendingBlocks): number[] {
  return [...new Set([...from, ...to])];
}

/** Open MPI sends what goes to neighbors under the name of the operation that goes to all. */
export function asSent(call: string): string {
  return operationOf(call).replace('MPI_Neighbor_a', 'MPI_A');
}

/** The only one that there is must be the one that a call is given. */
function onlyOf(infos: readonly { handle: string }[]): string | undefined {
  return infos.length === 1 ? infos[0]!.handle : undefined;
}
