/**
 * Objects that a call has allocated but not filled yet. Open MPI enters an object in its tables before it fills it,
 * and some calls wait for other ranks in between. For each kind, the field that the library sets last shows that the
 * object is complete.
 */
import { BeingMadeError, doubtOf, guard } from '../../result';
import type { PredefinedKind } from './constants';
import { memberObjects } from './group-members';
import { checkMessageMade } from './half-made-message';
import type { Decoder } from './handles';
import { requestStates } from './live-requests';
import {
  commSpec,
  errhandlerSpec,
  fileSpec,
  groupSpec,
  ompioFileSpec,
  opSpec,
  requestSpec,
  topologySpec,
} from './specs';

type Check = (decoder: Decoder, handle: bigint) => Promise<void>;

/**
 * Infos are complete when they are in their table, and windows enter theirs last; datatypes are in none before they are
 * complete; sessions wait for nobody.
 */
const checks: Partial<Record<PredefinedKind, Check>> = {
  comm: checkComm,
  errhandler: checkErrhandler,
  file: checkFile,
  group: checkGroup,
  message: checkMessageMade,
  op: checkOp,
  request: checkRequest,
};

/** `handle`: a live object of the kind. Throws BeingMadeError. */
export async function checkMade(decoder: Decoder, kind: PredefinedKind, handle: bigint): Promise<void> {
  const check = checks[kind];
  if (check === undefined || (await decoder.constants.predefined(kind, handle)) !== undefined) return;
  await check(decoder, handle);
}

/** All except those known to be half made. */
export async function madeOnly(decoder: Decoder, kind: PredefinedKind, handles: readonly bigint[]): Promise<bigint[]> {
  const found: bigint[] = [];
  for (const handle of handles) {
    const made = await guard(() => checkMade(decoder, kind, handle));
    if (made.ok || made.code !== 'MPIDBG_ERR_NOT_FOUND') found.push(handle);
  }
  return found;
}

/** Those among them that madeOnly() leaves out though they may have been overwritten, with the reason. */
export async function leftOutInDoubt(
  decoder: Decoder,
  kind: PredefinedKind,
  handles: readonly bigint[],
): Promise<string[]> {
  const found: string[] = [];
  for (const handle of handles) {
    const doubt = await doubtOf(() => checkMade(decoder, kind, handle));
    if (doubt !== undefined) found.push(`0x${handle.toString(16)} is ${doubt}`);
  }
  return found;
}

/** c_flags: the message layer knows the communicator, even before its members have agreed on it. */
const knownToMessages = 0x1000;
const distGraph = 0x400;

async function checkComm({ reader }: Decoder, handle: bigint): Promise<void> {
  const { flags, topology, collectives } = await reader.read(commSpec, handle);
  if ((flags & knownToMessages) === 0 || collectives === 0n)
    throw new BeingMadeError('a call that makes communicators', 'overwritten');
  // The members exchange the graph over the new communicator.
  if ((flags & distGraph) !== 0 && (await reader.read(topologySpec, topology)).data === 0n)
    throw new BeingMadeError('MPI_Dist_graph_create', 'overwritten');
}

/** f_flags: OMPIO_FILE_IS_OPEN, of files of Open MPI's own component. */
const isOpen = 0x4;

async function checkFile({ reader }: Decoder, handle: bigint): Promise<void> {
  const { componentVersion, component, component3, flags, data } = await reader.read(fileSpec, handle);
  const beingMade = new BeingMadeError('MPI_File_open', 'overwritten');
  if (componentVersion === 0) throw beingMade;
  // ROMIO has no such mark.
  if ((component ?? component3) !== 'ompio') return;
  if ((flags & isOpen) === 0) throw beingMade;
  // Since 6.0 that bit means something else too; the view is set as the last part of the file.
  const file = await guard(() => reader.read(ompioFileSpec, data));
  if (file.ok && file.value.filetype === 0n) throw beingMade;
}

async function checkGroup(decoder: Decoder, handle: bigint): Promise<void> {
  const { flags } = await decoder.reader.read(groupSpec, handle);
  // How its members are stored is noted when there is memory for them, which is empty at first.
  const isFilled = flags !== 0 && (await memberObjects(decoder, handle)).every((member) => member !== 0n);
  if (!isFilled) throw new BeingMadeError('a call that makes groups', 'overwritten');
}

async function checkOp({ reader }: Decoder, handle: bigint): Promise<void> {
  const { flags, function: called } = await reader.read(opSpec, handle);
  if (flags === 0 || called === 0n) throw new BeingMadeError('MPI_Op_create', 'overwritten');
}

async function checkErrhandler({ reader }: Decoder, handle: bigint): Promise<void> {
  // Set for C too, as the last field.
  if ((await reader.read(errhandlerSpec, handle)).fortranFunction === 0n)
    throw new BeingMadeError('a call that makes error handlers', 'overwritten');
}

/** Only a persistent request is ever inactive when its call has returned. */
async function checkRequest({ reader }: Decoder, handle: bigint): Promise<void> {
  const { state, isPersistent } = await reader.read(requestSpec, handle);
  if (state === requestStates.inactive && !isPersistent)
    throw new BeingMadeError('a call that starts an operation', 'overwritten');
}
