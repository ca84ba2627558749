/** What a request does: the arguments of the call that made it, as far as the component that works on it keeps them. */
import { groupedBy } from '../../grouped-by';
import { integer } from '../../mpi/integer';
import type { Known, RequestInfo, Unavailable } from '../../mpi/records';
import { once } from '../../once';
import { CorruptError, guard, isUnavailable, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { innerRequests, isCollectiveBehind, readCommRequest } from './comm-requests';
import { datatypeRef, datatypeSize } from './datatype';
import { worldRank } from './group';
import { type Decoder, handleRef } from './handles';
import { isInternalComm } from './internal-comms';
import { liveFiles } from './live-handles';
import { isInPartitioned, makesPartitionedComm } from './partitioned';
import {
  collectiveRequestSpec,
  commSpec,
  ob1ReceiveSpec,
  ob1SendSpec,
  ompioRequestSpec,
  partitionedSpec,
  pointToPointSpec,
  requestSpec,
  sendSpec,
  statusSpec,
  ucxPersistentSpec,
} from './specs';
import { persistentTransfer, plainTransfer } from './ucx-requests';

type Request = StructValues<typeof requestSpec>;
type PointToPoint = StructValues<typeof pointToPointSpec>;
type Flag = RequestInfo['flags'][number];

/** The part of a RequestInfo that depends on the operation. */
export type Arguments = Omit<
  RequestInfo,
  'handle' | 'fortranHandle' | 'name' | 'flags' | 'unknownFlags' | 'active' | 'complete' | 'status'
> & { flags: Flag[]; unknownFlags: Flag[] };

/** `classes`: the names of the request's classes, its own first. */
export async function readArguments(
  decoder: Decoder,
  handle: bigint,
  classes: readonly string[],
  request: Request,
): Promise<Arguments> {
  if (classes.includes(pointToPointSpec.struct)) return pointToPoint(decoder, handle, classes, request);
  const operation = operationOf(classes, request.type);
  if (classes.includes(partitionedSpec.struct)) return partitioned(decoder, handle, operation, request);
  const other = { operation, flags: [], unknownFlags: ['freedHandle'] as Flag[] };
  switch (operation) {
    // Only a schedule of messages is kept of the call, or nothing.
    case 'collective':
      return {
        ...other,
        ...internalIf(await isCollectiveBehind(decoder, handle, classes)),
        comm: await known(() => collectiveComm(decoder, handle, classes)),
      };
    case 'commDup':
      return { ...other, ...(await stepwise(decoder, handle)) };
    case 'io': {
      const call = { buffer: unkept, count: unkept, datatype: unkept, bytes: unkept };
      return { ...other, file: await known(() => fileOf(decoder, handle)), ...call };
    }
    case 'rma':
      return { ...other, win: await known(() => handleRef(decoder, 'win', request.object)) };
    case 'unknown':
      return request.type === requestTypes.pml ? foreignTransfer(decoder, classes, request) : other;
    default:
      return other;
  }
}

/** ompi_request_type_t. */
const requestTypes = {
  pml: 0,
  io: 1,
  generalized: 2,
  rma: 3,
  collective: 4,
  null: 5,
  // 6: of persistent operations with MPI_PROC_NULL; it does not show which.
  comm: 7,
  partitioned: 8,
};

function operationOf(classes: readonly string[], type: number): RequestInfo['operation'] {
  const operations: Partial<Record<number, RequestInfo['operation']>> = {
    [requestTypes.io]: 'io',
    [requestTypes.generalized]: 'generalized',
    [requestTypes.rma]: 'rma',
    [requestTypes.collective]: 'collective',
    [requestTypes.null]: 'null',
    [requestTypes.comm]: 'commDup',
  };
  if (type === requestTypes.partitioned)
    return classes.some((name) => name.includes('psend')) ? 'partitionedSend' : 'partitionedReceive';
  return operations[type] ?? 'unknown';
}

async function stepwise(
  decoder: Decoder,
  handle: bigint,
): Promise<Pick<Arguments, 'comm' | 'flags'> & { operation?: RequestInfo['operation'] }> {
  const request = await known(() => readCommRequest(decoder, handle));
  if (isUnavailable(request)) return { comm: request, flags: [] };
  switch (request?.work) {
    case undefined:
      return { comm: unkept, flags: [] };
    case 'internal':
      return { comm: unkept, flags: ['internal'] };
    case 'commDup':
      return {
        comm: await known(() => handleRef(decoder, 'comm', request.comm)),
        flags: (await makesPartitionedComm(decoder, handle)) ? ['internal'] : [],
      };
    case 'sendReceive':
      return { operation: 'sendReceive', comm: await known(() => innerComm(decoder, request.inner)), flags: [] };
  }
}

/** Both are of one communicator; one that is complete or of MPI_PROC_NULL has none. */
async function innerComm(decoder: Decoder, inner: readonly bigint[]) {
  for (const request of inner) {
    const { type, object } = await decoder.reader.read(requestSpec, request);
    if (type === requestTypes.pml) return handleRef(decoder, 'comm', object);
  }
  return unkept;
}

const unkept = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the request refers to none of the arguments of its call');

async function collectiveComm(decoder: Decoder, handle: bigint, classes: readonly string[]) {
  if (!classes.includes(collectiveRequestSpec.struct))
    throw new CorruptError(`the communicator of a ${classes[0] ?? 'request'} is not known`);
  return handleRef(decoder, 'comm', (await decoder.reader.read(collectiveRequestSpec, handle)).comm);
}

/** undefined: unknown. */
function internalIf(isInternal: boolean | undefined): Pick<Arguments, 'flags' | 'unknownFlags'> {
  return {
    flags: isInternal === true ? ['internal'] : [],
    unknownFlags: isInternal === undefined ? ['freedHandle', 'internal'] : ['freedHandle'],
  };
}

/** Before 6.0 the request of a file operation does not show which file. */
async function fileOf(decoder: Decoder, handle: bigint) {
  const { file } = await decoder.reader.read(ompioRequestSpec, handle);
  const [found] = file === undefined || file === 0n ? [] : ((await filesByData(decoder)).get(file) ?? []);
  if (found === undefined)
    return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the request does not say which file it is of');
  return handleRef(decoder, 'file', found.address);
}

const filesByData = once(async (decoder: Decoder) => groupedBy(await liveFiles(decoder), ({ data }) => data));

/** For message layers other than ob1: ucx keeps enough; for the rest, what every request has. */
async function foreignTransfer(decoder: Decoder, classes: readonly string[], request: Request): Promise<Arguments> {
  const isPersistent = classes.includes(ucxPersistentSpec.struct);
  const ofCm = operationOfCm(classes);
  const found =
    ofCm !== undefined
      ? keptByCm
      : await known(() => (isPersistent ? persistentTransfer(decoder, request) : plainTransfer(decoder, request)));
  const buffer = isUnavailable(found) || typeof found.buffer !== 'string' ? 0n : BigInt(found.buffer);
  const isBehind =
    (await isInner(decoder, request.address)) || (await isForLibrary(decoder, { comm: request.object, buffer }));
  if (!isUnavailable(found)) {
    const { isInternal, isFreed, ...call } = found;
    const flags: Flag[] = [
      ...(isFreed === true ? (['freedHandle'] as const) : []),
      ...(isInternal || isBehind ? (['internal'] as const) : []),
    ];
    return { ...call, flags, unknownFlags: isFreed === undefined ? ['freedHandle'] : [] };
  }
  return {
    ...{ operation: ofCm ?? 'unknown', flags: isBehind ? ['internal'] : [] },
    unknownFlags: isBehind ? ['freedHandle'] : ['freedHandle', 'internal'],
    started: request.complete === 1n || found,
    ...{ peer: found, peerWorldRank: found, tag: found },
    comm: await known(() => handleRef(decoder, 'comm', request.object)),
    ...{ buffer: found, count: found, datatype: found, bytes: found, bytesDone: found },
  };
}

/** The message layer cm, of Omni-Path and others, has classes of its own for both directions. */
function operationOfCm(classes: readonly string[]): 'send' | 'receive' | undefined {
  const direction = classes.flatMap((name) => /^mca_pml_cm_(?:\w+_)?(send|recv)_request_t$/.exec(name)?.[1] ?? [])[0];
  return direction === undefined ? undefined : direction === 'send' ? 'send' : 'receive';
}

const keptByCm = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'what the message layer cm keeps of the call is not decoded');

/**
 * Whether it goes over a communicator of the library's own, or carries what the library sends about another request.
 */
async function isForLibrary(decoder: Decoder, { comm, buffer }: { comm: bigint; buffer: bigint }): Promise<boolean> {
  return (await isInternalComm(decoder, comm)) || (await isInPartitioned(decoder, buffer));
}

async function isInner(decoder: Decoder, handle: bigint): Promise<boolean> {
  return (await innerRequests(decoder)).has(handle);
}

/** mca_pml_base_request_type_t; the last four are probes. */
const kinds = { send: 1, receive: 2 };
const lastKind = 6;
/** mca_pml_base_send_mode_t. */
const modes: Partial<Record<number, 'standard' | 'buffered' | 'synchronous' | 'ready'>> = {
  0: 'synchronous',
  2: 'buffered',
  3: 'ready',
  4: 'standard',
};
/** ompi_request_state_t. */
const inactive = 1;
const anySource = -1;
const procNull = -2;
const anyTag = -1;

async function pointToPoint(
  decoder: Decoder,
  handle: bigint,
  classes: readonly string[],
  request: Request,
): Promise<Arguments> {
  const call = await decoder.reader.read(pointToPointSpec, handle);
  if (call.kind < kinds.send || call.kind > lastKind)
    throw new CorruptError(
      `the request at 0x${handle.toString(16)} has been overwritten: its kind reads ${call.kind}, which is no kind of Open MPI`,
    );
  const isSend = call.kind === kinds.send;
  const isProbe = !isSend && call.kind !== kinds.receive;
  const isFreed = truthOf(call.isFreed);
  const flags: Flag[] = isFreed === true ? ['freedHandle'] : [];
  // Tags of programs are not negative; a probe's request never leaves the call.
  const isInternal =
    isProbe ||
    (call.tag < 0 && call.tag !== anyTag) ||
    (await isInner(decoder, handle)) ||
    (await isForLibrary(decoder, call));
  // The program is done with one that is complete and freed.
  if (isInternal || (isFreed === true && request.complete === 1n)) flags.push('internal');
  const bytes = await known(async () => call.count * (await datatypeSize(decoder, call.datatype)));
  const progress = await readProgress(decoder, handle, classes, request);
  return {
    operation: isSend ? 'send' : isProbe ? 'message' : 'receive',
    flags,
    unknownFlags: isFreed === undefined ? ['freedHandle'] : [],
    ...(isSend ? { sendMode: await known(() => sendMode(decoder, handle)) } : {}),
    started: progress.started,
    ...(await peerOf(decoder, call)),
    tag: call.tag === anyTag ? 'MPI_ANY_TAG' : call.tag,
    comm: await known(() => handleRef(decoder, 'comm', call.comm)),
    buffer: `0x${call.buffer.toString(16)}`,
    count: integer(call.count),
    datatype: await known(() => datatypeRef(decoder, call.datatype)),
    bytes: typeof bytes === 'bigint' ? integer(bytes) : bytes,
    bytesDone: doneBytes(progress.bytesDone, bytes, isSend, request),
  };
}

/** A bool that the library has written; undefined: the word has been overwritten. */
function truthOf(word: number): boolean | undefined {
  return word === 0 || word === 1 ? word === 1 : undefined;
}

/** Its count is that of all partitions. Only its internal requests show how many of them are complete. */
async function partitioned(
  decoder: Decoder,
  handle: bigint,
  operation: RequestInfo['operation'],
  { state }: Request,
): Promise<Arguments> {
  const call = await decoder.reader.read(partitionedSpec, handle);
  const isFreed = truthOf(call.isFreed);
  const count = call.partitions * call.count;
  const done = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the state of the single partitions is not decoded');
  return {
    operation,
    flags: isFreed === true ? ['freedHandle'] : [],
    unknownFlags: isFreed === undefined ? ['freedHandle'] : [],
    started: state === inactive ? false : done,
    ...(await peerOf(decoder, call)),
    tag: call.tag === anyTag ? 'MPI_ANY_TAG' : call.tag,
    comm: await known(() => handleRef(decoder, 'comm', call.comm)),
    buffer: `0x${call.buffer.toString(16)}`,
    count: integer(count),
    datatype: await known(() => datatypeRef(decoder, call.datatype)),
    bytes: await known(async () => integer(count * (await datatypeSize(decoder, call.datatype)))),
    bytesDone: state === inactive ? 0 : done,
  };
}

async function sendMode(decoder: Decoder, handle: bigint) {
  const { mode } = await decoder.reader.read(sendSpec, handle);
  return modes[mode] ?? unavailable('MPIDBG_ERR_NOT_FOUND', `${mode} is not a send mode`);
}

async function peerOf(
  decoder: Decoder,
  { peer, comm }: Pick<PointToPoint, 'peer' | 'comm'>,
): Promise<Pick<Arguments, 'peer' | 'peerWorldRank'>> {
  if (peer === anySource) return { peer: 'MPI_ANY_SOURCE' };
  if (peer === procNull) return { peer: 'MPI_PROC_NULL' };
  const peerWorldRank = await known(async () => {
    await handleRef(decoder, 'comm', comm);
    return worldRank(decoder, (await decoder.reader.read(commSpec, comm)).remoteGroup, peer);
  });
  return { peer, peerWorldRank };
}

interface Progress {
  started: Known<boolean>;
  bytesDone: Known<bigint>;
}

/** What only ob1, the message layer of most systems, keeps; of an inactive request it is that of the last time. */
async function readProgress(
  decoder: Decoder,
  handle: bigint,
  classes: readonly string[],
  { complete, state, status }: Request,
): Promise<Progress> {
  if (state === inactive) return { started: false, bytesDone: 0n };
  const isComplete = complete === 1n;
  const read = await guard(async (): Promise<Progress> => {
    if (classes.includes(ob1SendSpec.struct)) {
      const { bytesDelivered } = await decoder.reader.read(ob1SendSpec, handle);
      return { started: isComplete || bytesDelivered > 0n, bytesDone: bytesDelivered };
    }
    const { bytesReceived, isMatched } = await decoder.reader.read(ob1ReceiveSpec, handle);
    if (!isComplete) return { started: isMatched || bytesReceived > 0n, bytesDone: bytesReceived };
    return { started: true, bytesDone: (await decoder.reader.read(statusSpec, status)).bytes };
  });
  if (read.ok) return read.value;
  const reason: Unavailable = unavailable(read.code, read.reason);
  return { started: isComplete || reason, bytesDone: reason };
}

/** The library also counts its own headers, and of a send nothing until the end. */
function doneBytes(
  done: Known<bigint>,
  bytes: Known<bigint>,
  isSend: boolean,
  { complete, state }: Request,
): Known<number | string> {
  if (typeof bytes !== 'bigint') return bytes;
  if (isSend && complete === 1n && state !== inactive) return integer(bytes);
  if (typeof done !== 'bigint') return done;
  return integer(done < bytes ? done : bytes);
}
