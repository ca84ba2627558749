/** MPI_Request. */
import type { RequestInfo } from '../../mpi/records';
import { once } from '../../once';
import { CorruptError, known, unavailable } from '../../result';
import { checkMade } from './half-made';
import {
  checkHandle,
  classNames,
  type Decoder,
  lateFortranNumber,
  objectName,
  overwritten,
  provedSlot,
} from './handles';
import { isBlockingReceive, isInFreeList, isUnderWay, requestStates } from './live-requests';
import { readArguments } from './request-arguments';
import { requestSpec } from './specs';
import { requestStatus } from './status';
import { blockingReceive } from './ucx-requests';

/**
 * Throws CorruptError when no request in use lies there. Not for MPI_REQUEST_NULL. A completed request goes back to
 * the library's free list and may be in use again for another operation: nothing shows that a handle is stale.
 */
export async function readRequest(decoder: Decoder, handle: bigint): Promise<RequestInfo> {
  if (await isBlockingReceive(decoder, handle)) return readBlockingReceive(decoder, handle);
  await checkHandle(decoder, 'request', handle);
  const hex = `0x${handle.toString(16)}`;
  const request = await decoder.reader.read(requestSpec, handle);
  const fortranHandle = await lateFortranNumber(decoder, 'request', handle, request.fortranHandle);
  const name = await objectName(decoder, 'request', handle);
  if (await isShared(decoder, handle)) {
    const status = await known(() => requestStatus(decoder, request.status));
    const facts = { operation: 'empty', active: false, complete: true, status } as const;
    return { handle: hex, fortranHandle, name, flags: ['predefined'], ...facts };
  }
  if (request.state === requestStates.invalid) throw await whyInvalid(decoder, handle);
  await checkMade(decoder, 'request', handle);
  const names = await classNames(decoder, handle);
  const { flags: moreFlags, unknownFlags, ...args } = await readArguments(decoder, handle, names, request);
  const active = request.state !== requestStates.inactive;
  const complete = active && request.complete === 1n;
  const flags: RequestInfo['flags'] = request.isPersistent ? ['persistent', ...moreFlags] : moreFlags;
  // Operations on files cannot be cancelled: the component never writes that part of their status.
  const isCancelled =
    request.state === requestStates.cancelled || (request.isCancelled !== 0 && args.operation !== 'io');
  if (complete && isCancelled) flags.push('cancelled');
  return {
    handle: hex,
    fortranHandle,
    name,
    flags,
    ...(unknownFlags.length === 0 ? {} : { unknownFlags }),
    ...args,
    active,
    complete,
    ...(complete ? { status: await known(() => requestStatus(decoder, request.status)) } : {}),
  };
}

async function whyInvalid(decoder: Decoder, handle: bigint): Promise<CorruptError> {
  const slot = await provedSlot(decoder, 'request', handle);
  if (slot !== undefined) return overwritten('request', handle, 'its state is that of a free one', slot);
  if (await isUnderWay(decoder, handle))
    return new CorruptError(
      `the request at 0x${handle.toString(16)} has been overwritten: its state is that of a free one, but the library has its operation among those under way`,
    );
  const isListed = await isInFreeList(decoder, handle);
  const why = isListed
    ? "it was completed or freed, and is in the library's free list"
    : 'its state says that it was completed or freed, unless that word has been overwritten';
  return new CorruptError(`no live request at 0x${handle.toString(16)}: ${why}`);
}

/** No handle of the program leads to it: only the list of requests does. */
async function readBlockingReceive(decoder: Decoder, handle: bigint): Promise<RequestInfo> {
  const { isInternal, isFreed: _isFreed, ...transfer } = await blockingReceive(decoder, handle);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: unavailable('MPIDBG_ERR_NOT_FOUND', 'the call that waits has no request'),
    name: '',
    flags: isInternal ? ['internal'] : [],
    ...transfer,
    active: true,
    complete: false,
  };
}

/**
 * The requests that stand for every operation that was complete before its call returned: for sends another since 6.0, and
 * the message layer ucx has one of its own among its variables.
 */
async function isShared(decoder: Decoder, handle: bigint): Promise<boolean> {
  const { empty, ucx } = await sharedRequests(decoder);
  if (empty.includes(handle)) return true;
  return ucx !== undefined && handle >= ucx.address && handle < ucx.address + BigInt(ucx.size);
}

const sharedRequests = once(async ({ image }: Decoder) => {
  const names = ['ompi_request_empty', 'ompi_request_empty_send'];
  const symbols = await Promise.all(names.map((name) => image.findSymbol(name)));
  return { empty: symbols.map((symbol) => symbol?.address), ucx: await image.findSymbol('ompi_pml_ucx') };
});
