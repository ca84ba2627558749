/** MPI_Datatype. */
import { asPart } from '../../mpi/datatype-part';
import { integer } from '../../mpi/integer';
import type { DatatypeInfo, HandleRef } from '../../mpi/records';
import { typeMapOf } from '../../mpi/type-map';
import { onceByKey } from '../../once';
import { known, QueryError } from '../../result';
import { checkHandle, checkSlot, type Decoder, handleRef, lateFortranNumber, objectName } from './handles';
import { pendingRequests } from './live-requests';
import { datatypeSpec } from './specs';
import { readConstruction, type TypeNode } from './type-construction';

/** super.flags. */
const bits = { committed: 0x4, contiguous: 0x10 } as const;

/** Throws CorruptError if there is no live datatype at this address. Not for MPI_DATATYPE_NULL. */
export async function readDatatype(decoder: Decoder, handle: bigint): Promise<DatatypeInfo> {
  await checkHandle(decoder, 'datatype', handle);
  const { fortranHandle, isPredefined } = await decoder.reader.read(datatypeSpec, handle);
  // Predefined ones are never freed.
  if (!isPredefined && fortranHandle >= 0) await checkSlot(decoder, 'datatype', handle, fortranHandle);
  const construction = await known(() => readConstruction(decoder, handle));
  return 'code' in construction
    ? { ...(await ownFacts(decoder, handle)), combiner: construction, typeMap: construction }
    : infoOf(decoder, construction);
}

/** Throws CorruptError if there is no datatype at this address. */
export function datatypeRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return handleRef(decoder, 'datatype', address);
}

/** Bytes of one element. */
export async function datatypeSize(decoder: Decoder, address: bigint): Promise<bigint> {
  await checkHandle(decoder, 'datatype', address);
  return (await decoder.reader.read(datatypeSpec, address)).size;
}

type OwnFacts = Omit<DatatypeInfo, 'combiner' | 'contents' | 'typeMap'>;

/** What the object itself holds. */
async function ownFacts(decoder: Decoder, handle: bigint): Promise<OwnFacts> {
  const type = await decoder.reader.read(datatypeSpec, handle);
  const flags: DatatypeInfo['flags'] = type.isPredefined ? ['predefined'] : [];
  for (const bit of ['committed', 'contiguous'] as const) if ((type.flags & bits[bit]) !== 0) flags.push(bit);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: await lateFortranNumber(decoder, 'datatype', handle, type.fortranHandle),
    name: await objectName(decoder, 'datatype', handle),
    flags,
    // MPI_Type_free does not mark a type that something else still needs.
    ...(type.isPredefined ? {} : { unknownFlags: ['freedHandle'] }),
    size: integer(type.size),
    lb: integer(type.lb),
    extent: integer(type.ub - type.lb),
    trueLb: integer(type.trueLb),
    trueExtent: integer(type.trueUb - type.trueLb),
    pendingRequests: await known(() => pendingRequests(decoder, 'datatype', handle)),
  };
}

/** The most types within a type that get a record: as many as anyone looks at. */
const maxNested = 4096;

/** A type that several others contain is built once. */
const infoOf = onceByKey(build);

async function build(decoder: Decoder, node: TypeNode): Promise<DatatypeInfo> {
  const { handle, pendingRequests: requests, ...facts } = await ownFacts(decoder, node.address);
  return {
    handle,
    ...facts,
    combiner: node.combiner,
    ...(node.combiner === 'MPI_COMBINER_NAMED' ? {} : { contents: await known(() => contents(decoder, node)) }),
    typeMap: await known(() => typeMapOf(node, (name) => decoder.constants.integer(name))),
    pendingRequests: requests,
  };
}

async function contents(decoder: Decoder, node: TypeNode) {
  if (node.nested > maxNested)
    throw new QueryError('MPIDBG_ERR_OUT_OF_RANGE', `it is made of ${node.nested} types, which are too many to show`);
  return {
    integers: [...node.integers],
    addresses: node.addresses.map(integer),
    datatypes: await Promise.all(node.datatypes.map(async (type) => asPart(await infoOf(decoder, type)))),
  };
}
