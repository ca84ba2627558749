/** The component behind a window: the communicator that it was made from, its epochs and its last synchronisation. */
import { groupedBy } from '../../grouped-by';
import { readI32Array, readText } from '../../memory';
import type { EpochGroups } from '../../mpi/plugin';
import type { HandleRef, Unavailable, WinInfo } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { CorruptError, isUnavailable, known, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { rdmaCounts, smCounts } from './epoch-counts';
import { groupSize, worldRanks } from './group';
import { checkHandle, type Decoder, handleRef } from './handles';
import { liveComms } from './live-handles';
import {
  commSpec,
  oscModuleSpec,
  oscPt2ptGroupSpec,
  oscPt2ptSpec,
  oscRdmaGroupSpec,
  oscRdmaSpec,
  oscSmSpec,
  oscUcxGroupSpec,
  oscUcxSpec,
} from './specs';

type Epoch = Exclude<WinInfo['epoch'], Unavailable>;
type Comm = StructValues<typeof commSpec>;

const specs = { rdma: oscRdmaSpec, pt2pt: oscPt2ptSpec, sm: oscSmSpec, ucx: oscUcxSpec };

/** The function that frees its windows identifies the component: its module is a plain struct. */
async function componentOf({ image, reader }: Decoder, module: bigint): Promise<keyof typeof specs> {
  const { free } = await reader.read(oscModuleSpec, module);
  const name = (await image.symbolAt(free))?.name;
  const component = /^ompi_osc_(\w+)_free$/.exec(name ?? '')?.[1];
  if (component === undefined) throw new CorruptError('the component of the window is unknown');
  if (!(component in specs))
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `the component osc/${component} is not decoded`);
  return component as keyof typeof specs;
}

/** The duplicate of the program's communicator that the component works with. */
export async function moduleComm(decoder: Decoder, module: bigint): Promise<bigint> {
  return (await decoder.reader.read(specs[await componentOf(decoder, module)], module)).comm;
}

/** A duplicate without a name of its own says what it duplicates. */
const internalName = /^MPI COMM(?:UNICATOR)? \d+ DUP FROM (\d+)$/;
const maxNameLength = 64;

/**
 * The communicator that the window was made from: the one with the number in the text, if its members are the same.
 * The number may have been reused since; if the new communicator has the same members too, nothing tells them apart.
 */
export const parentComm = onceByKey(async (decoder: Decoder, module: bigint): Promise<HandleRef> => {
  const duplicate = await moduleComm(decoder, module);
  await checkHandle(decoder, 'comm', duplicate);
  const { name, localGroup } = await decoder.reader.read(commSpec, duplicate);
  const text = typeof name === 'string' ? name : await readText(decoder.image, name, maxNameLength);
  const number = internalName.exec(text)?.[1];
  const notKnown = () =>
    new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the communicator that it was made from was freed, or is not recorded');
  if (number === undefined) throw notKnown();
  const parent = (await commsByNumber(decoder)).get(Number(number))?.[0];
  if (parent === undefined) throw notKnown();
  const [members, own] = await Promise.all([worldRanks(decoder, parent.localGroup), worldRanks(decoder, localGroup)]);
  if (members.join() !== own.join()) throw notKnown();
  return handleRef(decoder, 'comm', parent.address);
});

const commsByNumber = once(async (decoder: Decoder) => groupedBy(await liveComms(decoder), localNumber));

/** The number of its slot in the library's list: the context id until 4.1. */
function localNumber({ contextId, index }: Comm): number | undefined {
  return contextId ?? index;
}

/** Throws where the component does not keep it. */
export async function readEpoch(decoder: Decoder, module: bigint): Promise<Epoch> {
  return epochReaders[await componentOf(decoder, module)](decoder, module);
}

const epochReaders = { rdma: syncEpoch, pt2pt: syncEpoch, sm: smEpoch, ucx: ucxEpoch };

/** ompi_osc_rdma_sync_type_t, and the same of pt2pt: of all targets at once; single locks are counted. */
const syncTypes: Partial<Record<number, Epoch['access']>> = { 0: 'none', 1: 'lockAll', 2: 'fence', 3: 'start' };

/** The processes of the epochs that MPI_Win_start and MPI_Win_post have opened. */
export async function readEpochGroups(decoder: Decoder, module: bigint): Promise<EpochGroups> {
  const { access, exposure } = await readEpoch(decoder, module);
  const { start, post } = await epochGroups(decoder, module);
  const counts = await known(() => countsOf(decoder, module));
  return {
    ...(isUnavailable(counts) ? {} : counts),
    ...(access === 'start' ? { startGroup: await known(() => membersOf(decoder, start)) } : {}),
    ...(exposure === 'post' ? { postGroup: await known(() => membersOf(decoder, post)) } : {}),
  };
}

async function epochGroups(
  decoder: Decoder,
  module: bigint,
): Promise<{ start: bigint | undefined; post: bigint | undefined }> {
  const component = await componentOf(decoder, module);
  if (component === 'sm' || component === 'ucx') {
    const { startGroup, postGroup } = await decoder.reader.read(
      component === 'sm' ? oscSmSpec : oscUcxGroupSpec,
      module,
    );
    return { start: startGroup, post: postGroup };
  }
  const [spec, groupSpec] = component === 'rdma' ? [oscRdmaSpec, oscRdmaGroupSpec] : [oscPt2ptSpec, oscPt2ptGroupSpec];
  const { exposureGroup } = await decoder.reader.read(spec, module);
  const { startGroup } = await decoder.reader.read(groupSpec, module);
  return { start: startGroup, post: exposureGroup };
}

async function countsOf(decoder: Decoder, module: bigint): ReturnType<typeof rdmaCounts> {
  const component = await componentOf(decoder, module);
  if (component === 'rdma') return rdmaCounts(decoder, module);
  if (component !== 'sm') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'where it counts posts is not known');
  const { comm } = await decoder.reader.read(oscSmSpec, module);
  await checkHandle(decoder, 'comm', comm);
  const { localGroup, rank } = await decoder.reader.read(commSpec, comm);
  return smCounts(decoder, module, { rank, size: await groupSize(decoder, localGroup) });
}

async function membersOf(decoder: Decoder, group: bigint | undefined): Promise<(number | null)[]> {
  if (group === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'where this release keeps the group of the epoch is not known');
  await checkHandle(decoder, 'group', group);
  return worldRanks(decoder, group);
}

async function syncEpoch(decoder: Decoder, module: bigint): Promise<Epoch> {
  const spec = (await componentOf(decoder, module)) === 'rdma' ? oscRdmaSpec : oscPt2ptSpec;
  const { sync, locks, exposureGroup } = await decoder.reader.read(spec, module);
  const access = syncTypes[sync];
  if (access === undefined) throw new CorruptError(`${sync} is not a kind of synchronisation`);
  return {
    access: access === 'none' && Number(locks) > 0 ? 'lock' : access,
    exposure: access === 'fence' ? 'fence' : exposureGroup === 0n ? 'none' : 'post',
  };
}

/** ompi_osc_sm_locktype_t. */
const smLocks = { none: 0, nocheck: 1, shared: 3 };
const maxProcesses = 1 << 24;

async function smEpoch(decoder: Decoder, module: bigint): Promise<Epoch> {
  const { comm, startGroup, postGroup, locks } = await decoder.reader.read(oscSmSpec, module);
  await checkHandle(decoder, 'comm', comm);
  const size = await groupSize(decoder, (await decoder.reader.read(commSpec, comm)).localGroup);
  const held = await readI32Array(decoder.image, locks, size, maxProcesses, 'the number of locks');
  const exposure = postGroup === 0n ? 'none' : 'post';
  if ([smLocks.shared, smLocks.nocheck].some((kind) => held.every((lock) => lock === kind)))
    throw new QueryError(
      'MPIDBG_ERR_NOT_SUPPORTED',
      'all ranks are locked shared; the component osc/sm does not record whether one call did it',
    );
  if (held.some((lock) => lock !== smLocks.none)) return { access: 'lock', exposure };
  if (startGroup !== 0n) return { access: 'start', exposure };
  if (exposure === 'post') return { access: 'none', exposure };
  throw new QueryError(
    'MPIDBG_ERR_NOT_SUPPORTED',
    'there is no lock and no group; the component osc/sm does not record fences',
  );
}

/** ompi_osc_ucx_epoch. */
const ucxEpochs = { fence: 1, post: 2, start: 3, lock: 4, lockAll: 5 };

async function ucxEpoch(decoder: Decoder, module: bigint): Promise<Epoch> {
  const { access, exposure } = await decoder.reader.read(oscUcxSpec, module);
  const accesses = ['fence', 'start', 'lock', 'lockAll'] as const;
  return {
    access: accesses.find((name) => ucxEpochs[name] === access) ?? 'none',
    // A fence opens both, and is kept as an access.
    exposure: access === ucxEpochs.fence ? 'fence' : exposure === ucxEpochs.post ? 'post' : 'none',
  };
}
