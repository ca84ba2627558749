/** MPI_Request. */
import { readI32 } from '../../memory';
import type { Integer, RequestInfo, StatusInfo, Unavailable } from '../../mpi/records';
import { onceByKey } from '../../once';
import { CorruptError, isUnavailable, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { decodeBits, fortranHandle, hex, liveObject, refTo, type Decoder } from './handles';
import { isLibraryCode } from './keyvals';
import { commRef, isInternalComm } from './internal-comms';
import { partitionedArguments, persistentArguments, readDevice, type Arguments } from './request-arguments';
import { ownerOf, type Owner } from './request-owner';
import { hasKnownKind, operations, requestKind, type RequestKind } from './request-kinds';
import { commSpec, greqSpec, requestSpec } from './specs';
import { readStatus } from './status';
import { messageArguments, plainArguments } from './ucx-requests';

type Request = StructValues<typeof requestSpec>;
type Flag = RequestInfo['flags'][number];

/** Throws what liveObject throws. */
export async function readRequest(decoder: Decoder, handle: bigint): Promise<RequestInfo> {
  const address = await liveObject(decoder, 'request', handle);
  if (decodeBits(handle).how === 'builtin') return emptyRequest(handle);
  await checkKind(decoder, address);
  return requestAt(decoder, address);
}

/** Throws CorruptError if the request at this address has a kind that MPICH does not have. */
export async function checkKind(decoder: Decoder, address: bigint): Promise<void> {
  const request = await decoder.objects.reader.read(requestSpec, address);
  if (hasKnownKind(request)) return;
  const which = hex(BigInt(request.handle));
  throw new CorruptError(
    `the request ${which} has been overwritten: its kind reads ${request.kind}, which is no kind of MPICH`,
  );
}

/** The library's shared requests, complete from the start: nothing is known about what they stand for. */
export function emptyRequest(handle: bigint): RequestInfo {
  return {
    ...{ handle: hex(handle), fortranHandle: fortranHandle(handle), name: '', flags: ['predefined'] },
    ...{ operation: 'empty', active: false, complete: true },
    status: unavailable('MPIDBG_ERR_UNAVAILABLE', 'MPICH shares this request between operations and keeps no status'),
  };
}

/** The lists of other objects ask for every request. */
export const requestAt = onceByKey(decode);

async function decode(decoder: Decoder, address: bigint): Promise<RequestInfo> {
  const request = await decoder.objects.reader.read(requestSpec, address);
  const kind = requestKind(request);
  const phase = await known(() => phaseOf(decoder, request, kind));
  const isComplete = !isUnavailable(phase) && phase.complete;
  const { isInternal: isOfLibrary, ...details } = await detailsOf(decoder, request, kind, isComplete);
  const owner = await known(() => ownerOf(decoder, request, isComplete, isOfLibrary));
  const { isInternal, isFreed } = isUnavailable(owner) || isUnavailable(phase) ? unknownOwner : owner;
  const handle = BigInt(request.handle);
  const isCancelled = isComplete && (await known(() => cancelled(decoder, request))) === true;
  const flags: Flag[] = [
    ...(/^(persistent|partitioned)/.test(kind) ? (['persistent'] as const) : []),
    ...(isFreed === true ? (['freedHandle'] as const) : []),
    ...(isCancelled ? (['cancelled'] as const) : []),
    ...(isInternal === true ? (['internal'] as const) : []),
  ];
  const unknownFlags: Flag[] = [
    ...(isFreed === undefined ? (['freedHandle'] as const) : []),
    ...(isInternal === undefined ? (['internal'] as const) : []),
  ];
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name: '',
    flags,
    ...(unknownFlags.length > 0 ? { unknownFlags } : {}),
    operation: operations[kind],
    ...(isUnavailable(phase) ? { active: phase, complete: phase } : phase),
    ...details,
    ...(isComplete ? await outcome(decoder, request, kind) : {}),
  };
}

const unknownOwner: Owner = { isInternal: undefined, isFreed: undefined };

type Phase = { active: boolean; complete: boolean; started?: boolean };

async function phaseOf(decoder: Decoder, request: Request, kind: RequestKind): Promise<Phase> {
  switch (kind) {
    case 'persistentSend':
    case 'persistentReceive':
    case 'persistentCollective': {
      const started = request.realRequest !== 0n;
      return { active: started, complete: started && (await isDone(decoder, request)), started };
    }
    case 'partitionedSend':
    case 'partitionedReceive': {
      const started = request.isPartActive !== 0;
      return { active: started, complete: started && (await isDone(decoder, request)), started };
    }
    default:
      return { active: true, complete: await isDone(decoder, request) };
  }
}

/** What a started persistent request does is another request, which may be one of the library's shared ones. */
function realRequest({ objects }: Decoder, { realRequest }: Request): Promise<Request> {
  return objects.reader.read(requestSpec, realRequest);
}

/**
 * The counter may belong to another request, or be shared by several. A started persistent request has that of the
 * request that does its work, but not for MPI_Bsend_init: complete with the message in the buffer, before it is sent.
 */
async function isDone({ image }: Decoder, { completion }: Request): Promise<boolean> {
  return (await readI32(image, completion)) === 0;
}

async function detailsOf(
  decoder: Decoder,
  request: Request,
  kind: RequestKind,
  isComplete: boolean,
): Promise<(Arguments & Pick<RequestInfo, 'win' | 'file' | 'operation'>) | Arguments> {
  const details = await known(() => detailsOfKind(decoder, request, kind, isComplete));
  return isUnavailable(details) ? { comm: details } : details;
}

type Details = Arguments & Partial<Pick<RequestInfo, 'win' | 'file' | 'operation'>>;

async function detailsOfKind(
  decoder: Decoder,
  request: Request,
  kind: RequestKind,
  isComplete: boolean,
): Promise<Details> {
  switch (kind) {
    case 'persistentSend':
    case 'persistentReceive':
      return persistentArguments(decoder, request);
    case 'partitionedSend':
    case 'partitionedReceive':
      return { ...(await partitionedArguments(decoder, request)), isInternal: request.comm === 0n };
    case 'send':
    case 'receive':
      if (request.comm === 0n && isAnnouncement(await readDevice(decoder, request)))
        return { operation: 'partitionedReceive', isInternal: true, comm: noComm };
      return plainArguments(decoder, request, isComplete);
    case 'collective':
    case 'persistentCollective':
      return collectiveArguments(decoder, request);
    case 'generalized':
      return generalizedArguments(decoder, request);
    case 'rma':
      return { win: request.win === 0n ? noWin : await known(() => refTo(decoder, 'win', request.win)) };
    case 'message':
      return messageArguments(decoder, request);
    case 'partition':
    case 'undefined':
    case 'enqueued':
      return {};
  }
}

/** Since 4.1 or 4.2. */
const noWin = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'this MPICH does not record the window in the request');
const noComm = unavailable('MPIDBG_ERR_UNAVAILABLE', 'no receive has matched it yet');

/** A partitioned send of a peer that no MPI_Precv_init matches yet; since 4.2 all other transfers have a communicator. */
function isAnnouncement({ transferForm }: Awaited<ReturnType<typeof readDevice>>): boolean {
  return transferForm !== undefined;
}

async function collectiveArguments(decoder: Decoder, { comm }: Request): Promise<Details> {
  const found = await decoder.objects.reader.read(commSpec, comm);
  return { comm: await commRef(decoder, found), isInternal: await isInternalComm(decoder, found) };
}

/** ROMIO's nonblocking calls make generalized requests of the library's own; a collective one makes more as it goes on. */
async function generalizedArguments(decoder: Decoder, { greqFunctions }: Request): Promise<Details> {
  const { query } = await decoder.objects.reader.read(greqSpec, greqFunctions);
  if (decoder.library.module.isExecutable) return { operation: 'unknown' };
  if (!isLibraryCode(decoder, query)) return { isInternal: false };
  const unknownArguments = { buffer: notInRequest, count: notInRequest, datatype: notInRequest, bytes: notInRequest };
  return { operation: 'io', file: notInRequest, ...unknownArguments };
}

const notInRequest = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'ROMIO does not record it in the request');

async function cancelled(decoder: Decoder, request: Request): Promise<boolean | Unavailable> {
  const { status } =
    request.realRequest !== 0n && isPersistent(request) ? await realRequest(decoder, request) : request;
  return (await readStatus(decoder, status)).cancelled;
}

function isPersistent(request: Request): boolean {
  return requestKind(request).startsWith('persistent');
}

/** What is shown of a complete request: before that, its status holds leftovers of another. */
async function outcome(
  decoder: Decoder,
  request: Request,
  kind: RequestKind,
): Promise<Pick<RequestInfo, 'status' | 'bytesDone' | 'peer' | 'tag'>> {
  if (!kind.endsWith('eceive')) return { status: noStatus[kind] ?? nothingIn };
  const real = isPersistent(request) ? await realRequest(decoder, request) : request;
  const status = await known(() => statusAt(decoder, real.status));
  const bytesDone: Integer | Unavailable =
    isUnavailable(status) || isUnavailable(status.bytes) ? nothingIn : status.bytes;
  return { status, bytesDone };
}

const nothingIn = unavailable('MPIDBG_ERR_UNAVAILABLE', 'the status of this operation carries no information');
const noStatus: Partial<Record<RequestKind, Unavailable>> = {
  generalized: unavailable('MPIDBG_ERR_UNAVAILABLE', "the request's query function sets it when the program waits"),
};

/** Without the address: it is the library's own copy. */
async function statusAt(decoder: Decoder, address: bigint): Promise<StatusInfo> {
  const { address: _address, ...status } = await readStatus(decoder, address);
  return status;
}
