/** Communicators over all processes: which handles of different processes are one communicator. */
import type { SpanningMembers } from '../mpi/message-queues';
import type { CommInfo, HandleRef, Known, RankId } from '../mpi/records';
import { onceFor } from '../once';
import { isUnavailable } from '../result';
import { edgesOf, type Edges } from './edges';
import { Groups, haveSameMembers } from './groups';
import type { ProcessState } from './job-state';

/** members, remote: indices of processes in the job, in the order of their ranks; undefined: it is not in the job. */
export interface Communicator {
  key: string;
  ref: HandleRef;
  members: readonly (number | undefined)[];
  /** What a rank in a message stands for: of an intercommunicator the other group. */
  peers: readonly (number | undefined)[];
  isIntercomm: boolean;
  /** The library's own, as of a window. */
  isInternal: boolean;
  /** The library's number; of one that was made for a part of another's processes it is greater. -1: not known. */
  context: number;
  /** The edges of the process itself, in operations with its neighbors. */
  edges?: Edges;
}

/** One process' view of all its communicators. */
export class Communicators {
  private readonly byHandle: ReadonlyMap<string, Communicator>[];
  /** The libraries' own communicators, by the window or file that each serves. */
  private readonly byServed: ReadonlyMap<string, Communicator>[];

  constructor(private readonly processes: readonly ProcessState[]) {
    const indices = new Map(processes.map(({ id }, index) => [idKey(id.world, id.rank), index]));
    const named = new Map(
      processes.flatMap(({ spanning }, index) => (spanning === undefined ? [] : [[spanning.own, index] as const])),
    );
    let groups = 0;
    const nextId = (): number => groups++;
    const byName = new Groups<string>((name) => named.get(name), nextId);
    const byRank = onceFor(
      (of: string | undefined) =>
        new Groups<number | null>((rank) => (rank === null ? undefined : indices.get(idKey(of, rank))), nextId),
    );
    this.byHandle = processes.map(({ id, comms, contexts, spanning, files }) => {
      if (contexts === undefined) return new Map();
      const agreed = new Map(contexts.map(({ comm, context }) => [comm.handle, context]));
      const members = new Map(spanning?.comms.map((each) => [each.comm.handle, each]));
      const known = comms.flatMap((info) => {
        const comm = communicatorOf(withFileName(info, files), agreed.get(info.handle), id, {
          names: members.get(info.handle),
          byName,
          byRank: byRank(id.world),
        });
        return comm === undefined ? [] : [[info.handle, comm] as const];
      });
      return new Map(known);
    });
    this.byServed = this.byHandle.map((known) => {
      const internal = [...known.values()].filter(({ ref }) => ref.serves !== undefined);
      // Those for a part of its processes, as the ones of a node, come before it here.
      internal.sort((a, b) => a.members.length - b.members.length || b.context - a.context);
      return new Map(internal.map((comm) => [`${comm.ref.serves!.kind} ${comm.ref.serves!.handle}`, comm]));
    });
  }

  /** The process is known not to have it. */
  lacks(process: number, key: string): boolean {
    const known = this.byHandle[process]!;
    const isWhole = known.size > 0 && known.size === this.processes[process]!.comms.length;
    return isWhole && [...known.values()].every((comm) => comm.key !== key);
  }

  /** The communicator that a window or a file works on, where the library does not tell from which one it was made. */
  serving(process: number, { kind, handle }: HandleRef): Communicator | undefined {
    return this.byServed[process]?.get(`${kind} ${handle}`);
  }

  /** A process' own view of another's communicator; undefined: it has none, or it is not known. */
  as(process: number, { key }: Communicator): Communicator | undefined {
    return [...(this.byHandle[process]?.values() ?? [])].find((comm) => comm.key === key);
  }

  of(process: number, ref: Known<HandleRef> | undefined): Communicator | undefined {
    return ref === undefined || isUnavailable(ref) ? undefined : this.byHandle[process]?.get(ref.handle);
  }
}

/** MPI gives files no names: that of a file is its path, as the process has opened it. */
function withFileName(info: CommInfo, files: ProcessState['files']): CommInfo {
  const { serves } = info;
  if (serves === undefined || isUnavailable(serves) || serves.kind !== 'file') return info;
  const filename = files.find(({ handle }) => handle === serves.handle)?.filename;
  return typeof filename === 'string' && filename !== '' ? { ...info, serves: { ...serves, name: filename } } : info;
}

function idKey(world: string | undefined, rank: number | null): string {
  return `${world ?? ''} ${rank ?? ''}`;
}

/** names: of the members, where they are of several worlds; byRank: of the process' own one. */
interface MemberSearch {
  names: SpanningMembers['comms'][number] | undefined;
  byName: Groups<string>;
  byRank: Groups<number | null>;
}

function communicatorOf(
  info: CommInfo,
  agreedContext: string | undefined,
  { rank: own }: RankId,
  { names, byName, byRank }: MemberSearch,
): Communicator | undefined {
  const { handle, name, localProcs, remoteProcs, contextId, flags, serves } = info;
  if (flags.includes('commNull') || isUnavailable(localProcs) || isUnavailable(remoteProcs)) return undefined;
  // In MPI_Finalize libraries forget members before communicators.
  if (own !== null && !localProcs.includes(own)) return undefined;
  const local = names === undefined ? byRank.of(localProcs) : byName.of(names.local);
  const { members } = local;
  const isInternal = flags.includes('internal');
  const ownContext = isUnavailable(contextId) ? -1 : contextId;
  const ref: HandleRef = {
    ...{ kind: 'comm', handle },
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(serves === undefined || isUnavailable(serves) ? {} : { serves }),
  };
  if (remoteProcs === undefined) {
    const context = agreedContext ?? contextId;
    if (isUnavailable(context)) return undefined;
    const key = `${context}|${local.id}`;
    const edges = edgesOf(info, members);
    return {
      ...{ key, ref, members, peers: members, isIntercomm: false, isInternal, context: ownContext },
      ...(edges === undefined ? {} : { edges }),
    };
  }
  // Each side has its own context id.
  const remote = names?.remote === undefined ? byRank.of(remoteProcs) : byName.of(names.remote);
  const key = [local.id, remote.id].sort((a, b) => a - b).join('+');
  const { members: peers } = remote;
  return {
    ...{ key, ref, members: [...members, ...peers], peers },
    ...{ isIntercomm: true, isInternal, context: ownContext },
  };
}

/** A communicator of the library's own for the messages of one that has a name. */
export function carries({ ref: { serves }, members }: Communicator, { ref, members: its }: Communicator): boolean {
  const { name = '' } = ref;
  return serves?.kind === 'comm' && name !== '' && serves.name === name && haveSameMembers(members, its);
}
