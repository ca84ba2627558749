/** MPI_Errhandler. */
import { callbackAt } from '../../mpi/callback';
import type { Callback, ErrhandlerInfo, HandleRef } from '../../mpi/records';
import { known } from '../../result';
import type { StructValues } from '../../struct';
import { checkMade } from './half-made';
import { checkHandle, checkSlot, type Decoder, handleRef, objectName } from './handles';
import { errhandlerUsers } from './live-handles';
import { errhandlerSpec, objectSpec } from './specs';

type Errhandler = StructValues<typeof errhandlerSpec>;

/** Throws CorruptError if there is no error handler at this address. */
export function errhandlerRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return handleRef(decoder, 'errhandler', address);
}

/** ompi_errhandler_type_t; 0 is predefined. */
const flagOfType: Readonly<Record<number, ErrhandlerInfo['flags'][number]>> = {
  0: 'predefined',
  1: 'communicator',
  2: 'window',
  3: 'file',
  4: 'session',
};

/** Throws CorruptError if there is no live error handler at this address. Not for MPI_ERRHANDLER_NULL. */
export async function readErrhandler(decoder: Decoder, handle: bigint): Promise<ErrhandlerInfo> {
  await checkHandle(decoder, 'errhandler', handle);
  const errhandler = await decoder.reader.read(errhandlerSpec, handle);
  await checkSlot(decoder, 'errhandler', handle, errhandler.fortranHandle);
  await checkMade(decoder, 'errhandler', handle);
  const flag = flagOfType[errhandler.type];
  const isPredefined = flag === 'predefined';
  const flags = flag === undefined ? [] : [flag];
  const language = languageOf(errhandler);
  if (!isPredefined && language === 'c') flags.push('cCallback');
  const { referenceCount } = await decoder.reader.read(objectSpec, handle);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: errhandler.fortranHandle,
    name: await objectName(decoder, 'errhandler', handle),
    flags,
    // MPI_Errhandler_free leaves no mark on one that is still attached.
    ...(isPredefined ? {} : { unknownFlags: ['freedHandle'] }),
    ...(isPredefined
      ? {}
      : { callback: await known(() => callbackAt(decoder.image, functionOf(errhandler, language), language)) }),
    referenceCount,
    attachedTo: await known(() => errhandlerUsers(decoder, handle)),
  };
}

/** ompi_errhandler_lang_t: 1 was C++ while there was that, until 4.1; sessions came when it went. */
function languageOf({ language, sessionFunction }: Errhandler): Callback['language'] {
  if (language === 0) return 'c';
  return language === 2 || (language === 1 && sessionFunction !== undefined) ? 'fortran' : 'unknown';
}

function functionOf(errhandler: Errhandler, language: Callback['language']): bigint {
  if (language === 'fortran') return errhandler.fortranFunction;
  const { commFunction, winFunction, fileFunction, sessionFunction = 0n } = errhandler;
  return [0n, commFunction, winFunction, fileFunction, sessionFunction][errhandler.type] ?? 0n;
}
