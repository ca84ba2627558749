/** MPI_Comm. */
import { groupedBy } from '../../grouped-by';
import { once } from '../../once';
import { compareVersions } from '../../mpi/versioned-tables';
import type { AgreedContext, SpanningMembers } from '../../mpi/message-queues';
import type { CommInfo, HandleRef, Unavailable } from '../../mpi/records';
import { CorruptError, guard, known, QueryError, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { readAttributes } from './attributes';
import { commRequests } from './comm-requests';
import { errhandlerRef } from './errhandler';
import { groupRef, groupSize, memberNames, type ProcessName, worldRanks } from './group';
import { checkMade } from './half-made';
import { checkHandle, checkSlot, type Decoder, handleRef, objectName, tableItems } from './handles';
import { isInternalComm, servedBy } from './internal-comms';
import { liveFiles, liveWins, refs } from './live-handles';
import { messageLayer, pendingRequests, requestCount } from './live-requests';
import { commContextSpec, commSpec, objectSpec } from './specs';
import { isReordered, readTopology } from './topology';
import { parentComm } from './win-module';

type Comm = StructValues<typeof commSpec>;
type Flag = CommInfo['flags'][number];

/** c_flags. It has bits for a freed communicator too, but no release sets them. */
const bits = {
  intercomm: 0x1,
  predefined: 0x4,
  dynamic: 0x8,
  cartesian: 0x100,
  graph: 0x200,
  distGraph: 0x400,
};

/**
 * Throws CorruptError if there is no live communicator at this address. Not for MPI_COMM_NULL, which is no
 * communicator.
 */
export async function readComm(decoder: Decoder, handle: bigint): Promise<CommInfo> {
  await checkHandle(decoder, 'comm', handle);
  const comm = await decoder.reader.read(commSpec, handle);
  await checkSlot(decoder, 'comm', handle, comm.fortranHandle);
  await checkMade(decoder, 'comm', handle);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: comm.fortranHandle,
    name: await objectName(decoder, 'comm', handle),
    ...(await readFlags(decoder, comm)),
    rank: await known(() => ownRank(decoder, comm)),
    size: await known(() => groupSize(decoder, comm.localGroup)),
    localProcs: await known(() => worldRanks(decoder, comm.localGroup)),
    ...(await readRemote(decoder, comm)),
    ...(await readOwnTopology(decoder, comm)),
    contextId: contextId(comm),
    group: await known(() => groupRef(decoder, comm.localGroup)),
    errhandler: await known(() => errhandlerRef(decoder, comm.errhandler)),
    attributes: await known(() => readAttributes(decoder, comm.keyHash)),
    pendingRequests: await known(() => pendingOn(decoder, comm)),
    derivedWindows: await known(() => derivedWindows(decoder, handle)),
    derivedFiles: await known(() => derivedFiles(decoder, handle)),
    ...(await readServed(decoder, handle)),
  };
}

/** Since 5.0.0, whose contextId is a process' own number. */
export async function agreedContexts(decoder: Decoder): Promise<AgreedContext[]> {
  const handles = await tableItems(decoder, 'comm');
  const contexts = await Promise.all(
    handles.map(async (handle) => (await decoder.reader.read(commContextSpec, handle)).agreedContext),
  );
  return contexts.flatMap((context, at) => {
    const comm = { kind: 'comm' as const, handle: `0x${handles[at]!.toString(16)}` };
    return context === undefined ? [] : [{ comm, context: `0x${context.toString(16)}` }];
  });
}

export async function spanningMembers(decoder: Decoder): Promise<SpanningMembers> {
  const world = await decoder.constants.required('comm', 'MPI_COMM_WORLD');
  const { rank, localGroup } = await decoder.reader.read(commSpec, world);
  const own = (await memberNames(decoder, localGroup))[rank];
  if (own === undefined) throw new CorruptError(`MPI_COMM_WORLD has no member ${rank}`);
  const spanning = await Promise.all(
    (await tableItems(decoder, 'comm')).map(async (handle) => {
      // A communicator that is being made has no members yet.
      const members = await guard(() => membersOf(decoder, handle));
      const all = members.ok ? [...members.value.local, ...(members.value.remote ?? [])] : [];
      if (!members.ok || all.every(({ jobid }) => jobid === own.jobid)) return [];
      const { local, remote } = members.value;
      const comm = { kind: 'comm' as const, handle: `0x${handle.toString(16)}` };
      return [{ comm, local: local.map(nameOfProcess), ...(remote && { remote: remote.map(nameOfProcess) }) }];
    }),
  );
  return { own: nameOfProcess(own), comms: spanning.flat() };
}

async function membersOf(decoder: Decoder, handle: bigint): Promise<{ local: ProcessName[]; remote?: ProcessName[] }> {
  const comm = await decoder.reader.read(commSpec, handle);
  const local = await memberNames(decoder, comm.localGroup);
  return has(comm, 'intercomm') ? { local, remote: await memberNames(decoder, comm.remoteGroup) } : { local };
}

function nameOfProcess({ jobid, vpid }: ProcessName): string {
  return `${jobid}.${vpid}`;
}

/**
 * Where the requests of MPI_Comm_idup are not found, the communicator that one makes is recognised: it is half made
 * and shares the group of the one that it duplicates.
 */
async function pendingOn(decoder: Decoder, comm: Comm): Promise<HandleRef[]> {
  const pending = await pendingRequests(decoder, 'comm', comm.address);
  if ((await commRequests(decoder)) !== undefined) return pending;
  if (!(await groupsInMaking(decoder)).has(comm.localGroup)) return pending;
  const besides = pending.length === 0 ? '' : `, besides ${pending.map((request) => request.handle).join(', ')}`;
  throw new QueryError(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `a communicator of its group is being made, and Open MPI has no list of the requests of MPI_Comm_idup: one may be pending on it${besides}`,
  );
}

/** The groups of communicators that are being made. */
const groupsInMaking = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  const found = new Set<bigint>();
  for (const handle of await tableItems(decoder, 'comm')) {
    const comm = await guard(() => decoder.reader.read(commSpec, handle));
    if (!comm.ok || (await guard(() => checkMade(decoder, 'comm', handle))).ok) continue;
    found.add(comm.value.localGroup);
  }
  return found;
});

function has(comm: Comm, bit: keyof typeof bits): boolean {
  return (comm.flags & bits[bit]) !== 0;
}

async function ownRank(decoder: Decoder, { rank, localGroup }: Comm): Promise<number> {
  const size = await groupSize(decoder, localGroup);
  if (rank < 0 || rank >= size) throw new CorruptError(`the rank is ${rank} of ${size}, which is impossible`);
  return rank;
}

async function readFlags(decoder: Decoder, comm: Comm): Promise<Pick<CommInfo, 'flags' | 'unknownFlags'>> {
  const flags = (['predefined', 'cartesian', 'graph', 'distGraph', 'intercomm', 'dynamic'] as const).filter((bit) =>
    has(comm, bit),
  ) as Flag[];
  const isInternal = await isInternalComm(decoder, comm.address);
  if (isInternal) flags.push('internal');
  // Some components do not keep them.
  const unknownFlags: Flag[] = isInternal || has(comm, 'predefined') ? [] : ['internal'];
  const freed = await isFreedHandle(decoder, comm);
  if (freed === true) flags.push('freedHandle');
  else if (freed === undefined) unknownFlags.push('freedHandle');
  if (topologyKind(comm) !== undefined) {
    const reordered = await known(() => isReordered(decoder, comm.topology));
    if (reordered === true) flags.push('topoReordered');
    else if (reordered !== false) unknownFlags.push('topoReordered');
  }
  return unknownFlags.length === 0 ? { flags } : { flags, unknownFlags };
}

/**
 * Whether MPI_Comm_free was called while operations keep the object. It removes the info object, which in 4.x the
 * message layer ob1 makes for every communicator; with other layers, and since 5.0.0, many never have one. That word
 * alone may have been overwritten: what is freed has no more references than operations that keep it.
 */
async function isFreedHandle(decoder: Decoder, comm: Comm): Promise<boolean | undefined> {
  if (has(comm, 'predefined') || comm.info !== 0n) return false;
  if (!(await tellsFreedComms(decoder))) return undefined;
  const { referenceCount } = await decoder.reader.read(objectSpec, comm.address);
  const operations = await guard(() => requestCount(decoder, comm.address));
  return operations.ok && referenceCount <= operations.value ? true : undefined;
}

/** Whether this is known of communicators at all. */
export async function tellsFreedComms(decoder: Decoder): Promise<boolean> {
  if (decoder.library.version === undefined || compareVersions(decoder.library.version, '5.0.0') >= 0) return false;
  const layer = await guard(() => messageLayer(decoder));
  return layer.ok && layer.value === 'ob1';
}

async function readRemote(
  decoder: Decoder,
  comm: Comm,
): Promise<Pick<CommInfo, 'remoteSize' | 'remoteProcs' | 'remoteGroup'>> {
  if (!has(comm, 'intercomm')) return {};
  return {
    remoteSize: await known(() => groupSize(decoder, comm.remoteGroup)),
    remoteProcs: await known(() => worldRanks(decoder, comm.remoteGroup)),
    remoteGroup: await known(() => groupRef(decoder, comm.remoteGroup)),
  };
}

function topologyKind(comm: Comm): 'cart' | 'graph' | 'distGraph' | undefined {
  if (has(comm, 'cartesian')) return 'cart';
  if (has(comm, 'graph')) return 'graph';
  return has(comm, 'distGraph') ? 'distGraph' : undefined;
}

async function readOwnTopology(decoder: Decoder, comm: Comm): ReturnType<typeof readTopology> {
  const kind = topologyKind(comm);
  return kind === undefined ? {} : readTopology(decoder, kind, comm.topology);
}

/** Since 5.0.0 the number that all members agree on has 128 bits; the one here is that of the messages' headers. */
function contextId(comm: Comm): number | Unavailable {
  return comm.contextId ?? comm.index ?? unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the layout has no context id');
}

async function readServed(decoder: Decoder, comm: bigint): Promise<Pick<CommInfo, 'serves'>> {
  const served = (await servedBy(decoder)).get(comm);
  return served === undefined ? {} : { serves: await known(() => handleRef(decoder, served.kind, served.address)) };
}

/** A window works with a duplicate; the communicator that it was made from is found as for the window itself. */
async function derivedWindows(decoder: Decoder, comm: bigint): Promise<HandleRef[]> {
  return refs(decoder, { win: (await winsByParent(decoder)).get(`0x${comm.toString(16)}`) ?? [] });
}

const winsByParent = once(async (decoder: Decoder) => {
  const wins = await liveWins(decoder);
  const parents = await Promise.all(wins.map(({ module }) => guard(() => parentComm(decoder, module))));
  const known = wins.flatMap(({ address }, i) => {
    const parent = parents[i]!;
    return parent.ok ? [{ address, comm: parent.value.handle }] : [];
  });
  return groupedBy(known, ({ comm }) => comm);
});

async function derivedFiles(decoder: Decoder, comm: bigint): Promise<HandleRef[]> {
  return refs(decoder, { file: (await filesByComm(decoder)).get(comm) ?? [] });
}

const filesByComm = once(async (decoder: Decoder) => groupedBy(await liveFiles(decoder), ({ comm }) => comm));
