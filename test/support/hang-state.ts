/** Jobs of hand-written positions and queues, for the verdict's unit tests. All have MPI_COMM_WORLD and "other", of all ranks. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import type { RankPosition } from '../../plugin-api/hang/position';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { stateInCall } from '../../plugin-api/hang/waiting-calls';
import type { CommQueues, QueueItem } from '../../plugin-api/mpi/queue-records';
import type { CommInfo, FileInfo, HandleRef, RequestInfo, WinInfo } from '../../plugin-api/mpi/records';
import { unavailable } from '../../plugin-api/result';

export const world: HandleRef = { kind: 'comm', handle: '0x1', name: 'MPI_COMM_WORLD' };
export const other: HandleRef = { kind: 'comm', handle: '0x2', name: 'other' };
/** The communicator of ranks 0 and 1. */
export const pair: HandleRef = { kind: 'comm', handle: '0x3', name: 'pair' };

export const unknown = unavailable('MPIDBG_ERR_UNAVAILABLE', 'it is not known');

/** What one rank tells; `calls`: those of its threads, the first one first. */
export interface Told {
  calls: readonly Partial<RankPosition>[];
  queues?: Partial<Record<'posted' | 'unexpected' | 'sends', readonly (Partial<QueueItem> & { comm?: HandleRef })[]>>;
  requests?: readonly Partial<RequestInfo>[];
  wins?: readonly Partial<ProcessState['wins'][number]>[];
  inWindows?: string;
  files?: readonly Partial<FileInfo>[];
  /** Beside those that all have, or in their place. */
  comms?: readonly Partial<CommInfo>[];
  counters?: ProcessState['counters'];
  traffic?: string;
  network?: ProcessState['network'];
  error?: string;
  crash?: ProcessState['crash'];
  host?: string;
  written?: number;
  found?: ProcessState['found'];
  collectives?: ProcessState['collectives'];
  openmp?: ProcessState['openmp'];
  threadLevel?: ProcessState['threadLevel'];
}

export const computes: Told = { calls: [{ state: 'running', where: 'a.c:9' }] };
export const finalizes: Told = { calls: [{ state: 'finalizing', call: 'MPI_Finalize', where: 'a.c:99' }] };

/** One thread in this call. */
export function inCall(call: string, args: Partial<RankPosition> = {}, rest: Omit<Told, 'calls'> = {}): Told {
  return { calls: [{ call, comm: world, where: 'a.c:1', ...args }], ...rest };
}

export function receives(peer: number | 'MPI_ANY_SOURCE', tag: number, rest: Omit<Told, 'calls'> = {}): Told {
  return inCall('MPI_Recv', { peer, tag }, { ...rest, queues: { posted: [{ peer, tag }], ...rest.queues } });
}

export function jobOf(ranks: readonly Told[]): ProcessState[] {
  const all = ranks.map((_, rank) => rank);
  return ranks.map(
    (
      {
        calls,
        queues = {},
        requests = [],
        wins = [],
        inWindows,
        files = [],
        comms = [],
        counters,
        traffic,
        network,
        error,
        crash,
        host,
        written,
        found,
        collectives,
        openmp,
        threadLevel = 'MPI_THREAD_MULTIPLE',
      },
      rank,
    ) => ({
      id: { rank, ...(host === undefined ? {} : { host }) },
      threadLevel,
      ...(written === undefined ? {} : { written }),
      ...(found === undefined ? {} : { found }),
      ...(collectives === undefined ? {} : { collectives }),
      ...(openmp === undefined ? {} : { openmp }),
      ...(inWindows === undefined ? {} : { inWindows }),
      ...(error === undefined ? {} : { error }),
      ...(crash === undefined ? {} : { crash }),
      positions: error !== undefined ? [] : calls.map((call, index) => positionOf(call, rank, index)),
      comms: [
        ...[commOf(world, 0, all), commOf(other, 3, all), ...(rank < 2 ? [commOf(pair, 6, [0, 1])] : [])].filter(
          ({ handle }) => comms.every((each) => each.handle !== handle),
        ),
        ...comms.map((each) => ({ flags: [], name: '', ...each }) as unknown as CommInfo),
      ],
      queues: [world, other].map((comm): CommQueues => {
        const of = (queue: 'posted' | 'unexpected' | 'sends'): QueueItem[] =>
          (queues[queue] ?? [])
            .filter((item) => (item.comm ?? world).handle === comm.handle)
            .map(({ comm: _comm, ...item }) => ({ peer: 0, tag: 0, bytes: 4, ...item }));
        return { comm, posted: of('posted'), unexpected: of('unexpected'), sends: of('sends') };
      }),
      requests: requests.map(
        (request, index) =>
          ({
            handle: `0x${(index + 16).toString(16)}`,
            flags: [],
            name: '',
            active: true,
            complete: false,
            comm: world,
            ...request,
          }) as RequestInfo,
      ),
      contexts: [],
      files: files.map((file) => ({ handle: '0x7', flags: [], comm: world, ...file }) as FileInfo),
      wins: wins.map((win) => ({ handle: '0x9', flags: [], name: '', comm: world, ...win }) as WinInfo),
      counters: counters ?? unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'none'),
      traffic,
      ...(network === undefined ? {} : { network }),
    }),
  );
}

function positionOf(told: Partial<RankPosition>, rank: number, index: number): RankPosition {
  const state = told.call === undefined ? ('running' as const) : stateInCall(told.call);
  return { rank, thread: index + 1, state, ...told };
}

function commOf({ handle, name }: HandleRef, contextId: number, procs: readonly number[]): CommInfo {
  return { handle, name, flags: [], localProcs: procs, contextId } as unknown as CommInfo;
}

/** Two looks at the same. */
export function ask(...ranks: Told[]): HangDocument {
  const look = jobOf(ranks);
  return verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document;
}

export function assertDeadlock(document: HangDocument, type: HangDocument['type'], culprits: number[]): void {
  const { verdict, type: told, culprits: blamed, sentence } = document;
  assert.deepEqual({ verdict, type: told, culprits: blamed }, { verdict: 'deadlock', type, culprits }, sentence);
}

export const barrier = inCall('MPI_Barrier');

/** A window that does not tell its communicator, and the library's own that serve it: of its members, and of those on a node. */
export function unnamedWindow(members: readonly number[]): Pick<Told, 'wins' | 'comms'> {
  const ofWindow: Partial<CommInfo> = { flags: ['internal'], serves: { kind: 'win', handle: '0x9' } };
  return {
    wins: [{ comm: unknown }],
    comms: [
      { ...ofWindow, handle: '0x31', localProcs: [...members], contextId: 30 },
      { ...ofWindow, handle: '0x32', localProcs: [...members], contextId: 32 },
    ],
  };
}

export const sent = (peer: number, tag: number, comm = world) => ({ queues: { unexpected: [{ peer, tag, comm }] } });

/** `collective`: undefined for a nonblocking one, of which messages do not tell. */
export const internal = (queue: 'posted' | 'unexpected' | 'sends', peer: number, collective?: string) => ({
  queues: {
    [queue]: [{ peer, tag: -17, internal: true as const, ...(collective === undefined ? {} : { collective }) }],
  },
});

/** Both are in MPI_Reduce, and wait there for a message of the other. */
export function inEachOthersWay(root: RankPosition['root'], queues: Told['queues'] = {}): Told[] {
  return [1, 0].map((peer) => {
    const posted = [{ peer, tag: -21, internal: true as const, collective: 'MPI_Reduce' }];
    return inCall('MPI_Reduce', { root }, { queues: { posted, ...(peer === 0 ? queues : {}) } });
  });
}

/** The only member and leader of its group. */
export function meets(own: number, peer: number, tag: number, leader: RankPosition['leader'] = 0): Told {
  const comm: HandleRef = { kind: 'comm', handle: `0x4${own}` };
  return inCall(
    'MPI_Intercomm_create',
    { comm, leader, peerComm: world, peer, tag },
    { comms: [{ handle: comm.handle, localProcs: [own], contextId: 40 + own }] },
  );
}
