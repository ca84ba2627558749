/** MPI_Win. */
import { integer } from '../../mpi/integer';
import type { EpochGroups } from '../../mpi/plugin';
import type { HandleRef, Known, WinInfo } from '../../mpi/records';
import { CorruptError, known, QueryError, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { readAttributeRecords } from './attributes';
import { errhandlerRef } from './errhandler';
import { groupRef, groupSize } from './group';
import { checkHandle, checkSlot, type Decoder, handleRef, objectName } from './handles';
import { winSpec } from './specs';
import { parentComm, readEpoch, readEpochGroups } from './win-module';

type Win = StructValues<typeof winSpec>;

/** w_flags. */
const bits = { freed: 0x1, noLocks: 0x4 };

/** Throws CorruptError if there is no live window at this address. Not for MPI_WIN_NULL. */
export async function readWin(decoder: Decoder, handle: bigint): Promise<WinInfo> {
  await checkHandle(decoder, 'win', handle);
  const win = await decoder.reader.read(winSpec, handle);
  await checkSlot(decoder, 'win', handle, win.fortranHandle);
  const flags: WinInfo['flags'] = [];
  // Freed windows are not in the library's table: MPI_Win_free is at work, or the word has been overwritten.
  const isInDoubt = (win.flags & bits.freed) !== 0;
  if ((win.flags & bits.noLocks) !== 0) flags.push('noLocks');
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: win.fortranHandle,
    name: await objectName(decoder, 'win', handle),
    flags,
    ...(isInDoubt ? { unknownFlags: ['freedHandle'] } : {}),
    base: await known(async () => `0x${(await attribute(decoder, win, 'MPI_WIN_BASE')).toString(16)}`),
    bytes: await known(async () => integer(BigInt.asIntN(64, await attribute(decoder, win, 'MPI_WIN_SIZE')))),
    dispUnit: await known(async () => Number(BigInt.asIntN(32, await attribute(decoder, win, 'MPI_WIN_DISP_UNIT')))),
    flavor: flavorOf(decoder, win.flavor),
    model: await known(() => modelOf(decoder, win)),
    comm: await known(() => parentComm(decoder, win.module)),
    group: await known(() => groupRef(decoder, win.group)),
    size: await known(() => groupSize(decoder, win.group)),
    errhandler: await known(() => errhandlerRef(decoder, win.errhandler)),
    info: await known(() => infoOf(decoder, win.info)),
    epoch: await known(() => readEpoch(decoder, win.module)),
    // Within an epoch, others may have ended: one of two locks, or the access beside an exposure.
    lastSync: unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'Open MPI keeps the state of the epochs, not the last call'),
  };
}

/** The info that an object keeps: a copy of the one that it was given, in the library's own form. */
export async function infoOf(decoder: Decoder, info: bigint): Promise<HandleRef> {
  if (info === 0n) throw new QueryError('MPIDBG_ERR_NOT_FOUND', 'the object keeps no info');
  return handleRef(decoder, 'info', info);
}

async function attribute(decoder: Decoder, { keyHash }: Win, name: string): Promise<bigint> {
  const keyval = decoder.constants.integer(name);
  const record = (await readAttributeRecords(decoder, keyHash)).find((each) => each.keyval === keyval);
  if (record === undefined) throw new CorruptError(`the window has no attribute ${name}`);
  return record.value;
}

const flavors = ['create', 'allocate', 'dynamic', 'shared'] as const;

function flavorOf({ constants }: Decoder, flavor: number): WinInfo['flavor'] {
  const found = flavors.find((name) => constants.integer(`MPI_WIN_FLAVOR_${name.toUpperCase()}`) === flavor);
  return found ?? unavailable('MPIDBG_ERR_NOT_FOUND', `${flavor} is not a window flavor`);
}

async function modelOf(decoder: Decoder, win: Win): Promise<Known<'separate' | 'unified'>> {
  const model = Number(BigInt.asIntN(32, await attribute(decoder, win, 'MPI_WIN_MODEL')));
  if (model === decoder.constants.integer('MPI_WIN_UNIFIED')) return 'unified';
  if (model === decoder.constants.integer('MPI_WIN_SEPARATE')) return 'separate';
  throw new CorruptError(`${model} is not a window memory model`);
}

/** Throws what checkHandle throws. */
export async function epochGroups(decoder: Decoder, handle: bigint): Promise<EpochGroups> {
  await checkHandle(decoder, 'win', handle);
  return readEpochGroups(decoder, (await decoder.reader.read(winSpec, handle)).module);
}
