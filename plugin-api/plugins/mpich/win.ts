/** MPI_Win. */
import { integer } from '../../mpi/integer';
import type { EpochGroups } from '../../mpi/plugin';
import type { WinInfo } from '../../mpi/records';
import { isUnavailable, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { integersOf } from './constants';
import { errhandlerRef } from './errhandler';
import { groupMembers, groupRef, localProcesses } from './group';
import { checkWinMade } from './half-made';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { commSpec, deviceWinSpec, epochGroupSpec, winSpec } from './specs';

type DeviceWin = StructValues<typeof deviceWinSpec>;

/** Throws what liveObject throws. */
export async function readWin(decoder: Decoder, handle: bigint): Promise<WinInfo> {
  const { reader } = decoder.objects;
  const win = await reader.read(winSpec, await liveObject(decoder, 'win', handle));
  await checkWinMade(decoder, win);
  const device = await known(() => reader.read(deviceWinSpec, win.address));
  const comm = await known(() => reader.read(commSpec, win.comm));
  const ofComm = async <T>(item: (comm: StructValues<typeof commSpec>) => T | Promise<T>) =>
    isUnavailable(comm) ? comm : known(() => item(comm));
  return {
    ...{ handle: hex(handle), fortranHandle: fortranHandle(handle), name: win.name },
    flags: !isUnavailable(device) && device.noLocks !== 0 ? ['noLocks'] : [],
    unknownFlags: isUnavailable(device) ? ['freedHandle', 'noLocks'] : ['freedHandle'],
    ...{ base: hex(win.base), bytes: integer(win.size), dispUnit: win.dispUnit },
    flavor: named(decoder, flavors, win.flavor) ?? implausible('flavor', win.flavor),
    model: named(decoder, models, win.model) ?? implausible('memory model', win.model),
    comm: notItsOwn,
    group: await ofComm(({ localGroup }) => groupRef(decoder, localGroup)),
    size: await ofComm(({ localSize }) => localSize),
    errhandler: await known(() => errhandlerRef(decoder, win.errhandler)),
    info: unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH keeps the settings of a window, but no info object of them'),
    epoch: isUnavailable(device) ? device : epochOf(device),
    lastSync: unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH does not record the last synchronisation of a window'),
  };
}

const notItsOwn = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'MPICH does not record which communicator a window was made from: it works on an unnamed duplicate',
);

const flavors = {
  MPI_WIN_FLAVOR_CREATE: 'create',
  MPI_WIN_FLAVOR_ALLOCATE: 'allocate',
  MPI_WIN_FLAVOR_DYNAMIC: 'dynamic',
  MPI_WIN_FLAVOR_SHARED: 'shared',
} as const;
const models = { MPI_WIN_SEPARATE: 'separate', MPI_WIN_UNIFIED: 'unified' } as const;

/** The entry of `names` for the constant with this value. */
function named<T>({ library }: Decoder, names: Readonly<Record<string, T>>, value: number): T | undefined {
  const integers = integersOf(library);
  return Object.entries(names).find(([name]) => integers.get(name) === value)?.[1];
}

/** MPIDIG_EPOTYPE_*: 5 is a fence that no operation has followed yet. */
const accessEpochs = { 0: 'none', 1: 'lock', 2: 'start', 4: 'fence', 5: 'fence', 6: 'lockAll' } as const;
const exposureEpochs = { 0: 'none', 3: 'post', 4: 'fence', 5: 'fence' } as const;

function epochOf({ access, exposure }: DeviceWin): WinInfo['epoch'] {
  const ofAccess = (accessEpochs as Record<number, (typeof accessEpochs)[keyof typeof accessEpochs]>)[access];
  const ofExposure = (exposureEpochs as Record<number, (typeof exposureEpochs)[keyof typeof exposureEpochs]>)[exposure];
  if (ofAccess === undefined || ofExposure === undefined) return implausible('epoch', `${access} and ${exposure}`);
  // A lock, start or post after a fence means that the fence opened no epoch; MPICH leaves its exposure behind.
  return { access: ofAccess, exposure: ofExposure === 'fence' && ofAccess !== 'fence' ? 'none' : ofExposure };
}

/** The processes of the window, and of the epochs that MPI_Win_start opens, which may still wait there, and that MPI_Win_post has opened. */
export async function epochGroups(decoder: Decoder, handle: bigint): Promise<EpochGroups> {
  const win = await liveObject(decoder, 'win', handle);
  const { reader, worldSize } = decoder.objects;
  const { startGroup, postGroup, completes, posts } = await reader.read(epochGroupSpec, win);
  const membersOf = (group: bigint) =>
    known(async () => {
      await groupRef(decoder, group);
      return groupMembers(decoder, group);
    });
  return {
    ...{ completes, posts },
    members: await known(async () => {
      const { comm } = await reader.read(winSpec, win);
      return localProcesses(reader, await reader.read(commSpec, comm), worldSize);
    }),
    ...(startGroup === 0n ? {} : { startGroup: await membersOf(startGroup) }),
    ...(postGroup === 0n ? {} : { postGroup: await membersOf(postGroup) }),
  };
}

function implausible(what: string, found: number | string) {
  return unavailable('MPIDBG_ERR_NOT_FOUND', `the ${what} is ${found}, which is not plausible`);
}
