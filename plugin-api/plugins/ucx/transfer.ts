/**
 * One transfer of UCX: an MPI library gets from UCX the address of the area that UCX keeps for the user of a request, and
 * UCX's own struct lies right in front of it.
 */
import { readPointer } from '../../memory';
import { CorruptError, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import type { Ucx } from './library';
import { requestSpec } from './specs';

type Request = StructValues<typeof requestSpec>;

/** What is sent, or received into. */
export interface TransferData {
  /** Undefined where UCX packs and unpacks through callbacks of the MPI library: see `context`. */
  buffer: bigint | undefined;
  /** Bytes that the buffer has room for. */
  bytes: bigint;
  /**
   * 'contiguous': bytes, of which UCX knows no more. 'generic': the MPI library packs; `context` is what it told UCX to
   * pass on (ucp_dt_generic's context: MPICH and Open MPI give their datatype's address). 'other': a list of pieces.
   */
  form: 'contiguous' | 'generic' | 'other';
  context?: bigint;
}

interface Transfer {
  /** Of the ucp_request. */
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
const usesProtocols = 1 << 7;
const synchronous = 1 << 8;
const sendTag = 1 << 14;
const receiveTag = 1 << 17;

/** What UCX notes of a transfer for itself. */
export interface TransferNotes {
  /** undefined: neither, or both, as no transfer is. */
  kind: 'send' | 'receive' | undefined;
  /** It completes when the receiver has it. */
  isSynchronous: boolean;
  /** The user has freed it before its end. */
  isReleased: boolean;
}

/** For users who do not know what a request is. Throws FaultError. */
export async function readNotes(ucx: Ucx, userArea: bigint): Promise<TransferNotes> {
  const { flags } = await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea));
  const isSend = (flags & sendTag) !== 0;
  const isReceive = (flags & receiveTag) !== 0;
  return {
    kind: isSend === isReceive ? undefined : isSend ? 'send' : 'receive',
    isSynchronous: (flags & synchronous) !== 0,
    isReleased: (flags & released) !== 0,
  };
}

/** The ucp_request of a user's area. Throws MissingTypeError. */
export async function requestAddress({ reader }: Ucx, userArea: bigint): Promise<bigint> {
  return userArea - BigInt(await reader.sizeOf(requestSpec));
}

/** Throws FaultError, CorruptError. The caller checks that it is his: by `userData`, or by what he keeps in the user's area. */
export async function readReceive(ucx: Ucx, userArea: bigint): Promise<Receive> {
  return receiveOf(ucx, await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea)));
}

export async function readSend(ucx: Ucx, userArea: bigint): Promise<Send> {
  const request = await ucx.reader.read(requestSpec, await requestAddress(ucx, userArea));
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

/** The new protocols, which are the default since 1.16 or so, keep the data elsewhere than the old ones. */
async function sendData(ucx: Ucx, request: Request): Promise<TransferData> {
  const { sendBuffer, sendLength, sendDatatype, flags } = request;
  if ((flags & usesProtocols) === 0) return plainData(ucx, sendBuffer, sendLength, sendDatatype);
  const { sendIteratorClass, sendIteratorLength, sendIteratorBuffer, sendIteratorGeneric } = request;
  return iteratedData(ucx, sendIteratorClass, sendIteratorLength, sendIteratorBuffer, sendIteratorGeneric);
}

/** ucp_dt_class: contiguous, strided, iov, generic. */
const contiguousClass = 0;
const genericClass = 3;

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
