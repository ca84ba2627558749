/**
 * One transfer of UCX: an MPI library gets from UCX the address of the area that UCX keeps for the user of a request, and
 * UCX's own struct lies right in front of it.
 */
import { readPointer } from '../../memory';
import { CorruptError, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import type { Ucx } from './library';
import { protocolSpec, requestSpec } from './specs';

type Request = StructValues<typeof requestSpec>;

/** What is sent, or received into. */
export interface TransferData {
  /** Undefined where UCX packs and unpacks through callbacks of the MPI library: see `context`. */
  buffer: bigint | undefined;
  /** The size of the buffer, in bytes. */
  bytes: bigint;
  /**
   * 'contiguous': bytes, about which UCX knows nothing else. 'generic': the MPI library packs; `context` is what it
   * told UCX to pass on (ucp_dt_generic's context: MPICH and Open MPI give their datatype's address). 'other': a list
   * of pieces.
   */
  form: 'contiguous' | 'generic' | 'other';
  context?: bigint;
}

interface Transfer {
  /** The address of the ucp_request. */
  address: bigint;
  /** What the MPI library gave for its callback: MPICH the MPIR_Request of a receive, Open MPI nothing. */
  userData: bigint;
  /** The data has moved; the callback may still be due. */
  isComplete: boolean;
  /** 64 bits whose meaning is the MPI library's. */
  tag: bigint;
  data: TransferData;
}

export interface Receive extends Transfer {
  /** Bits of the tag that must be equal; the others are wildcards. */
  tagMask: bigint;
  worker: bigint;
  /** Receives match in ascending order of it. */
  sequence: bigint;
}

export interface Send extends Transfer {
  /** The ucp_ep towards the receiver: the MPI library's tables tell which rank that is. */
  endpoint: bigint;
}

/** UCP_REQUEST_FLAG_*. */
const completed = 1 << 0;
const released = 1 << 1;
/** Sent by the new protocols, which are the default since 1.16 or so: such a send has neither of the two flags below. */
const usesProtocols = 1 << 2;
const synchronous = 1 << 8;
const sendTag = 1 << 14;
const receiveTag = 1 << 17;

/** What UCX keeps about a transfer for itself. */
export interface TransferNotes {
  /** undefined: neither, or both, as no transfer is. */
  kind: 'send' | 'receive' | undefined;
  /** It completes when the receiver has the message. */
  isSynchronous: boolean;
  /** The user freed it before it was complete. */
  isReleased: boolean;
}

/** For callers that do not know which operation a request is. Throws FaultError. */
export async function readNotes(ucx: Ucx, userArea: bigint): Promise<TransferNotes> {
  const request = await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea));
  const { flags } = request;
  const isSend = (flags & (sendTag | usesProtocols)) !== 0;
  const isReceive = (flags & receiveTag) !== 0;
  return {
    kind: isSend === isReceive ? undefined : isSend ? 'send' : 'receive',
    isSynchronous:
      (flags & usesProtocols) === 0
        ? (flags & synchronous) !== 0
        : (await operationOf(ucx, request)) === operations.synchronousTagSend,
    isReleased: (flags & released) !== 0,
  };
}

/** ucp_operation_id_t. */
const operations = { tagSend: 0, synchronousTagSend: 1 };
/** The bits above it are flags. */
const operationBits = 0x1f;

/** How one of the new protocols sends. */
async function operationOf({ reader }: Ucx, { sendProtocol }: Request): Promise<number> {
  return (await reader.read(protocolSpec, sendProtocol)).operation & operationBits;
}

/** The ucp_request of a user's area. Throws MissingTypeError. */
export async function requestAddress({ reader }: Ucx, userArea: bigint): Promise<bigint> {
  return userArea - BigInt(await reader.sizeOf(requestSpec));
}

/**
 * Throws FaultError, CorruptError. The caller checks that the request is its own: by `userData`, or by what it keeps
 * in the user's area.
 */
export async function readReceive(ucx: Ucx, userArea: bigint): Promise<Receive> {
  return receiveOf(ucx, await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea)));
}

/** Throws QueryError too, with ERR_NOT_SUPPORTED, where UCX has overwritten the arguments of the call. */
export async function readSend(ucx: Ucx, userArea: bigint): Promise<Send> {
  const request = await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea));
  // The receiver's answer turns the send of a long message into a plain copy, whose address lies where the tag was.
  if ((request.flags & usesProtocols) !== 0 && (await operationOf(ucx, request)) > operations.synchronousTagSend)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'UCX is moving the data, and no longer keeps the tag of the send');
  return {
    ...common(request),
    tag: request.sendTag,
    endpoint: request.endpoint,
    data: await sendData(ucx, request),
  };
}

export async function receiveOf(ucx: Ucx, request: Request): Promise<Receive> {
  return {
    ...common(request),
    tag: request.receiveTag,
    tagMask: request.receiveTagMask,
    worker: request.worker,
    sequence: request.sequence,
    data: await receiveData(ucx, request),
  };
}

function common({ address, userData, flags }: Request): Pick<Transfer, 'address' | 'userData' | 'isComplete'> {
  return { address, userData, isComplete: (flags & completed) !== 0 };
}

/** Since 1.14 an iterator over the data. */
async function receiveData(ucx: Ucx, request: Request): Promise<TransferData> {
  const { receiveIteratorClass, receiveIteratorBuffer, receiveIteratorLength } = request;
  const { receiveBuffer, receiveDatatype, receiveLength, receiveIteratorGeneric } = request;
  if (receiveIteratorClass !== undefined)
    return iteratedData(
      ucx,
      receiveIteratorClass,
      receiveIteratorLength ?? 0n,
      receiveIteratorBuffer,
      receiveIteratorGeneric,
    );
  if (receiveBuffer === undefined || receiveDatatype === undefined || receiveLength === undefined)
    throw new CorruptError('the table of UCX has no buffer of a receive');
  return plainData(ucx, receiveBuffer, receiveLength, receiveDatatype);
}

/** The new protocols keep the data in another place than the old ones. */
async function sendData(ucx: Ucx, request: Request): Promise<TransferData> {
  const { sendBuffer, sendLength, sendDatatype, flags } = request;
  if ((flags & usesProtocols) === 0) return plainData(ucx, sendBuffer, sendLength, sendDatatype);
  const { sendIteratorClass, sendIteratorLength, sendIteratorBuffer, sendIteratorGeneric } = request;
  return iteratedData(ucx, sendIteratorClass, sendIteratorLength, sendIteratorBuffer, sendIteratorGeneric);
}

/** ucp_dt_class: contiguous, strided, iov, generic. */
const contiguousClass = 0;
const genericClass = 7;

async function iteratedData(
  ucx: Ucx,
  dataClass: number,
  bytes: bigint,
  buffer: bigint | undefined,
  generic: bigint | undefined,
): Promise<TransferData> {
  if (buffer === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `where UCX ${ucx.version} keeps this buffer is not known`);
  if (dataClass === contiguousClass) return { buffer, bytes, form: 'contiguous' };
  if (dataClass !== genericClass || generic === undefined) return { buffer: undefined, bytes, form: 'other' };
  return { buffer, bytes, form: 'generic', context: await readPointer(ucx.image, generic) };
}

/** ucp_datatype_t: its low three bits tell the class; of a generic one the rest is the address of ucp_dt_generic. */
const datatypeClass = 7n;
const contiguousDatatype = 0n;
const genericDatatype = 7n;

async function plainData(ucx: Ucx, buffer: bigint, bytes: bigint, datatype: bigint): Promise<TransferData> {
  if ((datatype & datatypeClass) === contiguousDatatype) return { buffer, bytes, form: 'contiguous' };
  if ((datatype & datatypeClass) !== genericDatatype) return { buffer: undefined, bytes, form: 'other' };
  return { buffer, bytes, form: 'generic', context: await readPointer(ucx.image, datatype & ~datatypeClass) };
}
