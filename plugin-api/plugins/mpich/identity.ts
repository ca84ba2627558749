/** What a communicator or a datatype is told by. */
import type { Evidence, HandleIdentity } from '../../mpi/identity';
import type { HandleKind } from '../../mpi/records';
import { isUnavailable } from '../../result';
import { predefinedName } from './constants';
import { checkCommMade } from './half-made';
import { decodeBits, liveObject, type Decoder } from './handles';
import { believedName } from './names';
import { commNameSpec, commSpec, datatypeNameSpec, datatypeSpec, objectSpec, poolSpec } from './specs';

/** Throws what liveObject throws; undefined: of this handle the whole record is needed. */
export async function identity(
  decoder: Decoder,
  kind: HandleKind,
  handle: bigint,
): Promise<HandleIdentity | undefined> {
  if (kind !== 'comm' && kind !== 'datatype') return undefined;
  const { objects } = decoder;
  const { reader } = objects;
  const { how, kindNumber } = decodeBits(handle);
  if (how === 'builtin' && !objects.builtins.has(kindNumber)) return undefined;
  const address = await liveObject(decoder, kind, handle);
  const own = kind === 'comm' ? await ofComm(decoder, address) : await ofDatatype(decoder, address);
  const stored = believedName(objects, kind, own.name);
  if (isUnavailable(stored)) return undefined;
  const constant = predefinedName(kind, handle);
  const pool = how === 'builtin' ? undefined : objects.pools.get(kindNumber);
  return {
    handle,
    // 4.0 stores none of some predefined datatypes.
    name: stored === '' && kind === 'datatype' ? (constant ?? '') : stored,
    isPredefined: constant !== undefined,
    ...(own.size === undefined ? {} : { size: own.size }),
    evidence: [
      await reader.placeOf(objectSpec, 'handle', address),
      { ...(await reader.placeOf(objectSpec, 'references', address)), isCount: true },
      ...own.fields,
      // Changed by every call that makes or frees such an object.
      ...(pool === undefined ? [] : [{ address: pool.address, length: await reader.sizeOf(poolSpec) }]),
    ],
  };
}

interface OwnFields {
  name: string;
  size?: bigint;
  fields: Evidence[];
}

async function ofComm(decoder: Decoder, address: bigint): Promise<OwnFields> {
  const { reader } = decoder.objects;
  const comm = await reader.read(commSpec, address);
  await checkCommMade(decoder, comm);
  return { name: comm.name, fields: [await reader.placeOf(commNameSpec, 'name', address)] };
}

async function ofDatatype({ objects: { reader } }: Decoder, address: bigint): Promise<OwnFields> {
  const { name, size } = await reader.read(datatypeSpec, address);
  return {
    name,
    size: BigInt(size),
    fields: [
      await reader.placeOf(datatypeNameSpec, 'name', address),
      await reader.placeOf(datatypeSpec, 'size', address),
    ],
  };
}
