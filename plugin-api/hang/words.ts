/** Processes, places and waits as people read them. */
import { groupedBy } from '../grouped-by';
import { once } from '../once';
import { describeRef } from '../mpi/describe-ref';
import { rankAtDistance, ranksInWords } from '../mpi/rank-names';
import { isUnavailable } from '../result';
import { isOnFile, isOnWindow, operationOf } from './calls';
import type { Communicator } from './communicators';
import type { OwnCrash, ProcessState } from './job-state';
import type { Message, PendingMessage } from './message';
import { ownThreadText } from './own-thread-text';
import { placeOf } from './place-text';
import type { RankPosition } from './position';
import type { Need, Wait } from './need';

/** What stands for the partner and the tag of one message, where the messages of several waits are told together. */
export interface Together {
  partner: string;
  /** " with tags 1-4"; left out: the need's own. */
  tags?: string;
  /** Each of them waits for several. */
  areSeveral?: boolean;
}

/** Who waits, and for whom. */
export type Partners = readonly [process: number, partner: number];

/** Each waits for one that waits for it. */
export function areMutual(pairs: readonly Partners[]): boolean {
  const partnerOf = new Map(pairs);
  return (
    partnerOf.size === pairs.length &&
    pairs.every(([process, partner]) => process !== partner && partnerOf.get(partner) === process)
  );
}

export class HangWords {
  /** Handles of one communicator differ between ranks: all are told by the first one. */
  private readonly named = new Map<string, string>();
  /** Communicators without a name that are copies of MPI_COMM_WORLD, as far as they have been told. */
  private copies = 0;

  constructor(private readonly processes: readonly ProcessState[]) {}

  /** "rank 3", "ranks 0-2,5"; for processes without a rank number "pid 4711". */
  ranks(processes: Iterable<number>): string {
    return this.ranksOfSame(processes);
  }

  /** Many may wait for the same ones. */
  private readonly ranksOfSame = once((processes: Iterable<number>) =>
    ranksInWords([...new Set(processes)].map((process) => this.processes[process]!.id)),
  );

  /**
   * Whom each of several waits for: "the next higher rank", "the rank 4 lower", "the other one of each pair (ranks 0-1, ranks 2-3)", "another rank
   * (ranks 0-3 for rank 5, rank 7 for rank 1)".
   */
  partnersOfEach(pairs: readonly Partners[]): string {
    if (areMutual(pairs)) {
      const once = pairs.filter(([process, partner]) => process < partner);
      return `the other one of each pair (${firstAndLast(once.map((pair) => this.ranks(pair)))})`;
    }
    const distances = new Set(pairs.map(([process, partner]) => this.distance(process, partner)));
    const [distance] = distances;
    if (distance === undefined || distances.size > 1) {
      const of = [...groupedBy(pairs, ([, partner]) => partner)].map(
        ([partner, each]) => `${this.ranks(each.map(([process]) => process))} for ${this.ranks([partner])}`,
      );
      return `another rank (${firstAndLast(of)})`;
    }
    return rankAtDistance(distance);
  }

  /** From rank to rank; undefined: they are of different worlds, or not known. */
  distance(process: number, partner: number): number | undefined {
    const [own, other] = [this.processes[process]!.id, this.processes[partner]!.id];
    return own.rank === null || other.rank === null || own.world !== other.world ? undefined : other.rank - own.rank;
  }

  /** "waits in MPI_Recv (halo.c:92) for a message from rank 1 with tag 12 on MPI_COMM_WORLD" */
  wait({ position, call }: Wait, need: Need, count: number, together?: Together): string {
    const verb = count === 1 ? 'waits' : 'wait';
    const what = this.need(need, position, together);
    return `${verb} in ${calledFrom(position, call)}${need.vague === undefined ? '' : ','} ${what}`;
  }

  /** "waits in MPI_Waitany (a.c:5) for a message from rank 0 with tag 3, or for a message from rank 2 with tag 3": one is enough. */
  waitForAny(wait: Wait, needs: readonly Need[], count: number): string {
    const [first, ...others] = needs;
    return [this.wait(wait, first!, count), ...others.map((need) => this.need(need, wait.position))].join(', or ');
  }

  onComm(comm: Communicator | undefined): string {
    if (comm === undefined) return '';
    // That name is the children's alone.
    if (comm.ref.name === 'MPI_COMM_PARENT') return ` on ${describeRef(comm.ref)}`;
    // Each of its two groups may have given it a name.
    if (comm.isIntercomm && comm.ref.name !== undefined) return this.nameOf(comm);
    const text = this.named.get(comm.key) ?? this.nameOf(comm);
    this.named.set(comm.key, text);
    return text;
  }

  private nameOf(comm: Communicator): string {
    const { ref } = comm;
    const copy = ref.serves === undefined && ref.name === undefined ? this.copyText(comm) : undefined;
    return ` on ${copy ?? describeRef(ref.serves ?? { ...ref, structure: this.membersText(comm) })}`;
  }

  /** "a copy of MPI_COMM_WORLD", as libraries make of it; undefined: it has other members, or has them in another order. */
  private copyText({ members, isIntercomm }: Communicator): string | undefined {
    const [first] = members;
    if (isIntercomm || first === undefined) return undefined;
    const { id, comms } = this.processes[first]!;
    const world = comms.find(({ name }) => name === 'MPI_COMM_WORLD')?.localProcs;
    const isCopy =
      world !== undefined &&
      !isUnavailable(world) &&
      world.length === members.length &&
      members.every((member, index) => {
        const own = member === undefined ? undefined : this.processes[member]!.id;
        return own !== undefined && own.rank === world[index] && own.world === id.world;
      });
    if (!isCopy) return undefined;
    this.copies++;
    const which = this.copies === 1 ? 'a copy' : this.copies === 2 ? 'another copy' : `copy ${this.copies}`;
    return `${which} of MPI_COMM_WORLD`;
  }

  /** "of ranks 2-3", by which a person knows a communicator that has no name. undefined: not all its members are in the job. */
  private membersText({ members, peers, isIntercomm }: Communicator): string | undefined {
    const all = isIntercomm ? [members.filter((member) => !peers.includes(member)), peers] : [members];
    const groups = all.map((group) => group.filter((process) => process !== undefined));
    if (groups.some((group, index) => group.length < all[index]!.length)) return undefined;
    const [own = '', others] = groups.map((group) => this.ranks(group));
    return others === undefined ? `of ${own}` : `between ${own} and ${others}`;
  }

  /** A window or a file is what the program knows, not the communicator that the library has for it. */
  onWhat(comm: Communicator | undefined, { call = '', win, file }: RankPosition): string {
    const ref = isOnWindow(call) ? win : isOnFile(call) ? file : undefined;
    const isNamed = ref !== undefined && !isUnavailable(ref) && (ref.name ?? '') !== '';
    return isNamed ? ` on ${describeRef(ref)}` : this.onComm(comm);
  }

  /** "a receive from rank 1 with tag 9 on MPI_COMM_WORLD", "a send to rank 2 with tag 4 on MPI_COMM_WORLD" */
  pending(message: PendingMessage): string {
    const isSend = message.queue === 'sends';
    const other = isSend ? message.to : message.from;
    const who = other === undefined ? 'any rank' : this.ranks([other]);
    return `a ${isSend ? 'send to' : 'receive from'} ${who}${tagOf(message)}${this.onComm(message.comm)}`;
  }

  /** "for a message from rank 1 with tag 12 on MPI_COMM_WORLD" */
  need(need: Need, position: RankPosition, together?: Together): string {
    const { kind, on, message, comm, isNonblocking, vague } = need;
    if (vague !== undefined) return `what for is not known: ${vague}`;
    if (message !== undefined) {
      const who = kind === 'receive' ? message.from : message.to;
      const partner = together?.partner ?? (who === undefined ? 'any rank' : this.ranks([who]));
      const which = `${together?.tags ?? tagOf(message)}${this.onComm(comm)}`;
      if (together?.areSeveral === true)
        return kind === 'receive'
          ? `for messages from ${partner}${which}`
          : `for receives of its messages by ${partner}${which}`;
      return kind === 'receive'
        ? `for a message from ${partner}${which}`
        : `until ${partner} receives its message${which}`;
    }
    if (need.win !== undefined) return this.onWindow(position, need);
    // Which of them have done their part is not known.
    const some = kind === 'window' && need.mode === 'OR' && on.length > 1 ? 'some of ' : '';
    const partners = together?.partner ?? `${some}${this.ranks(on)}`;
    const others = on.length === 0 ? '' : ` for ${partners}`;
    if (isNonblocking === true)
      return `${others} in a nonblocking collective operation${this.onComm(comm)}`.trimStart();
    return `${this.onWhat(comm, position)}${this.rootOfOthers(comm, position)}${others}`.trimStart();
  }

  /** " with rank 2 as its root": whom a process between two groups waits for is not always the one that it names. */
  private rootOfOthers(comm: Communicator | undefined, { root }: RankPosition): string {
    const named = comm?.isIntercomm === true && typeof root === 'number' ? comm.peers[root] : undefined;
    return named === undefined ? '' : ` with ${this.ranks([named])} as its root`;
  }

  /** "for a lock of rank 0's part of MPI_Win "counter", which rank 1 has locked" */
  private onWindow({ call = '', peer }: RankPosition, { win, comm, on, mode, lockedBy }: Need): string {
    const name = describeRef(win!);
    const some = mode === 'OR' && on.length > 1 ? 'some of ' : '';
    if (lockedBy === undefined) return `on ${name}${on.length === 0 ? '' : ` for ${some}${this.ranks(on)}`}`;
    const owner = typeof peer === 'number' ? comm?.members[peer] : undefined;
    const part = owner === undefined ? name : `${this.ranks([owner])}'s part of ${name}`;
    const have = `which ${this.ranks(lockedBy)} ${lockedBy.length === 1 ? 'has' : 'have'} locked`;
    return /^MPI_Win_lock/.test(call) ? `for a lock of ${part}, ${have}` : `on ${part}, ${have}`;
  }

  /** Why it will not come: "is in MPI_Finalize (halo.c:120)". */
  absence(process: number): string {
    const { positions, crash } = this.processes[process]!;
    if (crash !== undefined && crash.wasSent !== true) return deathOf(crash, 1);
    const [first] = positions;
    if (first === undefined) return 'is elsewhere';
    if (first.state === 'ended') return 'has ended';
    if (first.state === 'finalizing') return `is in ${calledFrom(first, 'MPI_Finalize')}`;
    const { call } = first;
    const ownThread = ownThreadText(first, positions);
    if (ownThread !== undefined) return `waits ${ownThread}`;
    const verb = first.state === 'blocked' ? 'waits' : 'is';
    if (call !== undefined) return `${verb} in ${calledFrom(first, operationOf(call))}`;
    const { waitsIn } = first;
    return waitsIn === undefined
      ? `${verb} in its own code${placeOf(first)}`
      : `waits in ${waitsIn.call}${placeOf(first)}`;
  }
}

/** "died of SIGSEGV at a.c:7", "were aborted by the launcher with SIGABRT" */
export function deathOf({ text, wasSent }: OwnCrash, count: number): string {
  if (wasSent === true) return `${count === 1 ? 'was' : 'were'} ${text}`;
  return `died of ${text}`;
}

/** "MPI_Recv (halo.c:92)", "MPI_Recv (relax.cpp:27, through wrap::get, wrap.hpp:3)", "H5Dwrite (plot.c:5), inside MPI_Allreduce" */
export function calledFrom(position: Pick<RankPosition, 'where' | 'through' | 'library'>, call: string): string {
  const { library } = position;
  return library === undefined
    ? `${call}${placeOf(position)}`
    : `${library.function}${placeOf(position)}, inside ${call}`;
}

/** "with root 0" */
export function rootOf({ root }: RankPosition): string {
  return root === undefined || isUnavailable(root) ? 'with an unknown root' : `with root ${root}`;
}

/** "with tag 7" */
export function tagText({ tag }: RankPosition): string {
  return tag === undefined || isUnavailable(tag) ? 'with an unknown tag' : `with tag ${tag}`;
}

/** "a, b, … z" */
export function firstAndLast(all: readonly string[], separator = ', '): string {
  return (all.length <= 3 ? all : [all[0], all[1], `… ${all.at(-1)!}`]).join(separator);
}

export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function tagOf({ tag }: Message): string {
  if (tag === undefined) return '';
  return tag === 'MPI_ANY_TAG' ? ' with any tag' : ` with tag ${tag}`;
}
