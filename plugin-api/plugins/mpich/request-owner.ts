/**
 * The owner of a request: the program, or the library itself to carry out another operation. Both look the same; what
 * decides is who refers to a request, and how many references it has.
 */
import { once } from '../../once';
import { guard } from '../../result';
import type { StructValues } from '../../struct';
import { bufferedSends } from './buffered-sends';
import type { Decoder } from './handles';
import { liveObjects } from './live-objects';
import { requestKind, type RequestKind } from './request-kinds';
import { scheduledRequests } from './schedules';
import { deviceRequestSpec, requestSpec } from './specs';

type Request = StructValues<typeof requestSpec>;

export interface Owner {
  /** The library made it for its own use; undefined if that is unknown. */
  isInternal: boolean | undefined;
  /** The program had its handle and freed it; undefined if that is unknown. */
  isFreed: boolean | undefined;
}

const ofProgram: Owner = { isInternal: false, isFreed: false };
const ofLibrary: Owner = { isInternal: true, isFreed: false };

/** `isOfLibrary`: what the request's communicator, context and arguments show; undefined: they cannot be read. */
export async function ownerOf(
  decoder: Decoder,
  request: Request,
  isComplete: boolean,
  isOfLibrary: boolean | undefined,
): Promise<Owner> {
  const kind = requestKind(request);
  const { inner, areAll } = await innerRequests(decoder);
  if (inner.has(request.address) || isOfLibrary === true) return ofLibrary;
  const hasOneReference = request.references === 1;
  switch (kind) {
    case 'rma':
      // MPI_Put and the like drop the reference of the handle, which nobody gets. Of MPI_Rput's the program must not.
      return !isComplete && hasOneReference ? ofLibrary : ofProgram;
    case 'send':
    case 'receive':
      // Of a message to itself the communicator tells, and that word may have been overwritten.
      if (isOfLibrary === undefined && !isComplete && mayQueueUncounted(request))
        return { isInternal: undefined, isFreed: undefined };
      return ownerOfTransfer(decoder, request, isComplete, areAll ? isOfLibrary : undefined);
    case 'collective':
      return { isInternal: areAll ? false : undefined, isFreed: !isComplete && hasOneReference };
    case 'generalized':
      return { isInternal: isOfLibrary, isFreed: !isComplete && hasOneReference };
    case 'partitionedReceive': {
      const { partPeer } = await decoder.objects.reader.read(deviceRequestSpec, request.address);
      // Until a send matches, the list of those that wait has a reference too.
      return { isInternal: false, isFreed: hasOneReference && partPeer === 0n };
    }
    default:
      return neverHandedOut.includes(kind) ? ofLibrary : ofProgram;
  }
}

const neverHandedOut: readonly RequestKind[] = ['partition', 'undefined', 'enqueued'];

/** A pending transfer has one reference from the device, and one from the handle or whoever else waits for it. */
async function ownerOfTransfer(
  decoder: Decoder,
  request: Request,
  isComplete: boolean,
  isOfLibrary: boolean | undefined,
): Promise<Owner> {
  const ofDevice = isComplete || isQueuedUncounted(request) ? 0 : 1;
  const isSend = requestKind(request) === 'send';
  const buffered = isSend ? await guard(() => bufferedSends(decoder)) : undefined;
  if (buffered?.ok === true && buffered.value.requests.has(request.address)) {
    // The buffer has a reference. That of MPI_Ibsend's handle may have been given up: then the request is the buffer's.
    const ofBuffer = 1;
    const isHeld = request.references > ofDevice + ofBuffer;
    return { isInternal: !isHeld, isFreed: isHeld ? false : undefined };
  }
  const isFreed = request.references <= ofDevice;
  // Nothing left in a complete one shows which operation it was a part of.
  if (isComplete) return { isInternal: undefined, isFreed };
  const areBuffersKnown = buffered === undefined || (buffered.ok && buffered.value.areAll);
  return { isInternal: isFreed || areBuffersKnown ? isOfLibrary : undefined, isFreed };
}

/** Until 4.1 a message of a process to itself was queued without a reference. */
function isQueuedUncounted(request: Request): boolean {
  return mayQueueUncounted(request) && request.comm !== 0n;
}

function mayQueueUncounted({ enqueued }: Request): boolean {
  return enqueued === undefined;
}

/** The requests that other requests refer to. */
const innerRequests = once(async (decoder: Decoder) => {
  const { reader } = decoder.objects;
  const scheduled = await guard(() => scheduledRequests(decoder));
  const inner = new Set(scheduled.ok ? scheduled.value.inner : []);
  for (const { address } of await liveObjects(decoder, 'request')) {
    const request = await reader.read(requestSpec, address);
    if (requestKind(request).startsWith('persistent') && request.realRequest !== 0n) inner.add(request.realRequest);
  }
  return { inner, areAll: scheduled.ok && scheduled.value.areAll };
});
