/** What a communicator or a datatype is told by. */
import type { Evidence, HandleIdentity } from '../../mpi/identity';
import type { HandleKind } from '../../mpi/records';
import { checkMade } from './half-made';
import {
  checkHandle,
  checkSlot,
  commIsNamed,
  type Decoder,
  givenName,
  nameText,
  objectName,
  slotPlaces,
} from './handles';
import { commSpec, datatypeSpec, objectSpec } from './specs';

/** c_flags */
const predefinedComm = 0x4;

/** Throws CorruptError if there is no live object at this address; undefined: of this kind the whole record is needed. */
export async function identity(
  decoder: Decoder,
  kind: HandleKind,
  handle: bigint,
): Promise<HandleIdentity | undefined> {
  if (kind !== 'comm' && kind !== 'datatype') return undefined;
  await checkHandle(decoder, kind, handle);
  const own = kind === 'comm' ? await ofComm(decoder, handle) : await ofDatatype(decoder, handle);
  const { reader } = decoder;
  return {
    handle,
    name: await (own.isNamed ? givenName : objectName)(decoder, kind, handle),
    isPredefined: own.isPredefined,
    ...(own.size === undefined ? {} : { size: own.size }),
    evidence: [
      await reader.placeOf(objectSpec, 'objClass', handle),
      { ...(await reader.placeOf(objectSpec, 'referenceCount', handle)), isCount: true },
      ...own.fields,
      ...(await nameText(decoder, kind, handle)),
      ...(own.slot < 0 ? [] : await slotPlaces(decoder, kind, own.slot)),
    ],
  };
}

interface OwnFields {
  isPredefined: boolean;
  /** Even if the name is empty. */
  isNamed: boolean;
  size?: bigint;
  slot: number;
  fields: Evidence[];
}

async function ofComm(decoder: Decoder, handle: bigint): Promise<OwnFields> {
  const { flags, fortranHandle } = await decoder.reader.read(commSpec, handle);
  await checkSlot(decoder, 'comm', handle, fortranHandle);
  await checkMade(decoder, 'comm', handle);
  const fields = ['name', 'flags', 'fortranHandle'] as const;
  return {
    isPredefined: (flags & predefinedComm) !== 0,
    isNamed: (flags & commIsNamed) !== 0,
    slot: fortranHandle,
    fields: await Promise.all(fields.map((each) => decoder.reader.placeOf(commSpec, each, handle))),
  };
}

async function ofDatatype(decoder: Decoder, handle: bigint): Promise<OwnFields> {
  const { isPredefined, fortranHandle, size } = await decoder.reader.read(datatypeSpec, handle);
  // Predefined ones are never freed.
  if (!isPredefined && fortranHandle >= 0) await checkSlot(decoder, 'datatype', handle, fortranHandle);
  const fields = ['name', 'isPredefined', 'fortranHandle', 'size'] as const;
  return {
    isPredefined,
    isNamed: false,
    size,
    slot: isPredefined ? -1 : fortranHandle,
    fields: await Promise.all(fields.map((each) => decoder.reader.placeOf(datatypeSpec, each, handle))),
  };
}
