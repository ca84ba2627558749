/** MPI_Errhandler. */
import type { ErrhandlerPlaces } from '../../mpi/plugin';
import type { Callback, ErrhandlerInfo, HandleRef } from '../../mpi/records';
import { QueryError, isUnavailable, known } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedName } from './constants';
import { fortranHandle, hex, liveObject, refOf, refTo, type Decoder } from './handles';
import { usersOfErrhandler } from './object-users';
import { boundCallback, programCallback } from './op';
import { commSpec, errhandlerSpec, winSpec } from './specs';

type Errhandler = StructValues<typeof errhandlerSpec>;

const errorsAreFatal = 0x54000000n;

/** Throws what liveObject throws. */
export async function readErrhandler(decoder: Decoder, handle: bigint): Promise<ErrhandlerInfo> {
  const base = { handle: hex(handle), fortranHandle: fortranHandle(handle) };
  const name = predefinedName('errhandler', handle);
  const object = await known(() => liveObject(decoder, 'errhandler', handle));
  if (isUnavailable(object)) {
    // Not every release has an object for each of them.
    if (name === undefined) throw new QueryError(object.code, object.reason);
    return { ...base, name, flags: ['predefined'], referenceCount: object, attachedTo: object };
  }
  const found = await decoder.objects.reader.read(errhandlerSpec, object);
  const attachedTo = await known(() => usersOfErrhandler(decoder, found));
  const referenceCount = found.references;
  if (name !== undefined) return { ...base, name, flags: ['predefined'], referenceCount, attachedTo };
  const kind = objectKinds[found.kind];
  const callback = await callbackOf(decoder, found);
  const { language } = callback;
  return {
    ...base,
    name: '',
    flags: [...(kind === undefined ? [] : [kind]), ...(language === 'c' ? (['cCallback'] as const) : [])],
    unknownFlags: ['freedHandle', 'freedObject', ...(language === 'unknown' ? (['cCallback'] as const) : [])],
    callback,
    referenceCount,
    attachedTo,
  };
}

/** The lowest bits of a code; the others are where the library keeps its message. */
export const errorClass = (code: number): number => code & 0x7f;

const world = 0x44000000n;

/** Throws QueryError. */
export async function errhandlerPlaces(decoder: Decoder): Promise<ErrhandlerPlaces> {
  const { reader } = decoder.objects;
  return {
    comm: await reader.offsetOf(commSpec, 'errhandler'),
    win: await reader.offsetOf(winSpec, 'errhandler'),
    world: await liveObject(decoder, 'comm', world),
  };
}

/** MPICH's number for the class of objects that it is for. */
const objectKinds: Readonly<Record<number, ErrhandlerInfo['flags'][number]>> = {
  1: 'communicator',
  4: 'file',
  8: 'window',
  14: 'session',
};

/** Since 4.3 the function may be one of a language binding, which calls the program's. */
const ofBinding = 1;

function callbackOf(decoder: Decoder, { function: address, language, extraState }: Errhandler): Promise<Callback> {
  if (extraState !== undefined && language === ofBinding) return boundCallback(decoder, address, extraState);
  return programCallback(decoder, address, language);
}

/** `address`: of the object; 0n: none was set, which means MPI_ERRORS_ARE_FATAL. Throws CorruptError. */
export async function errhandlerRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return address === 0n ? refOf('errhandler', errorsAreFatal) : refTo(decoder, 'errhandler', address);
}
