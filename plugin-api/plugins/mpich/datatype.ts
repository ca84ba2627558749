/** MPI_Datatype. */
import { asPart } from '../../mpi/datatype-part';
import { integer } from '../../mpi/integer';
import type { DatatypeInfo, Known, Unavailable } from '../../mpi/records';
import { typeMapOf } from '../../mpi/type-map';
import { once, onceByKey } from '../../once';
import { CorruptError, isUnavailable, known, unavailable } from '../../result';
import { integersOf, predefinedName } from './constants';
import { decodeBits, fortranHandle, hex, type Decoder } from './handles';
import { isOfFile } from './open-files';
import { pendingWithDatatype } from './live-requests';
import { believedName } from './names';
import { construction, readTree, type DatatypeTree, type Made } from './type-construction';

/** Throws what liveObject throws. */
export async function readDatatype(decoder: Decoder, handle: bigint): Promise<DatatypeInfo> {
  if (decoder.objects.builtins.get(datatypeNumber) === undefined && decodeBits(handle).how === 'builtin')
    return builtinWithoutObject(handle);
  return infoOf(decoder, await readTree(decoder, handle));
}

const datatypeNumber = 3;

/** A type that several others contain is built once. */
const infoOf = onceByKey(build);

async function build(decoder: Decoder, tree: DatatypeTree): Promise<DatatypeInfo> {
  const { handle, datatype, combiner, contents } = tree;
  const name = nameOf(decoder, tree);
  const ofFile = isPredefined(tree) ? false : await isOfFile(decoder, handle);
  const flags: DatatypeInfo['flags'] = [
    ...(isPredefined(tree) ? (['predefined'] as const) : []),
    ...(datatype.isCommitted !== 0 || isPredefined(tree) ? (['committed'] as const) : []),
    ...(datatype.isContiguous === 0 ? [] : (['contiguous'] as const)),
    ...(ofFile === true ? (['internal'] as const) : []),
  ];
  const unknownFlags: DatatypeInfo['flags'] = ofFile === undefined ? ['freedHandle', 'internal'] : ['freedHandle'];
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name,
    flags,
    ...(isPredefined(tree) ? {} : { unknownFlags }),
    ...{ size: integer(datatype.size), lb: integer(datatype.lb), extent: integer(datatype.extent) },
    ...{ trueLb: integer(datatype.trueLb), trueExtent: integer(datatype.trueUb - datatype.trueLb) },
    combiner,
    ...(contents === undefined ? {} : { contents: await shownContents(decoder, contents) }),
    typeMap: await known(() => typeMapOf(construction(tree), (name) => integersOf(decoder.library).of(name))),
    pendingRequests: await known(() => pendingWithDatatype(decoder, handle)),
  };
}

async function shownContents(decoder: Decoder, contents: Known<Made>): Promise<DatatypeInfo['contents']> {
  if (isUnavailable(contents)) return contents;
  if (contents.datatypes.reduce((sum, type) => sum + countOf(type), 0) > maxShown)
    return unavailable('MPIDBG_ERR_OUT_OF_RANGE', `it is made of more than ${maxShown} datatypes, one in another`);
  const datatypes: DatatypeInfo[] = [];
  for (const type of contents.datatypes) datatypes.push(asPart(await infoOf(decoder, type)));
  return { integers: contents.integers, addresses: contents.addresses.map(integer), datatypes };
}

/** How many records a datatype and those in it take; one that is in several counts each time. */
const countOf = once((tree: DatatypeTree): number => {
  const { contents } = tree;
  if (contents === undefined || isUnavailable(contents)) return 1;
  return contents.datatypes.reduce((sum, type) => sum + countOf(type), 1);
});

/** The program may rename any of them; 4.0 stores no names for some predefined ones. */
function nameOf({ objects }: Decoder, { handle, datatype }: DatatypeTree): Known<string> {
  const name = believedName(objects, 'datatype', datatype.name);
  return name === '' ? (predefinedName('datatype', handle) ?? '') : name;
}

/** mpi.h names it, or a call returns it without making it: MPI_Type_create_f90_real and its like. */
function isPredefined({ handle, combiner }: DatatypeTree): boolean {
  return predefinedName('datatype', handle) !== undefined || combiner.startsWith('MPI_COMBINER_F90_');
}

function builtinWithoutObject(handle: bigint): DatatypeInfo {
  const name = predefinedName('datatype', handle);
  if (name === undefined) throw new CorruptError(`${hex(handle)} is not a predefined datatype`);
  const nothing = unavailable('MPIDBG_ERR_NOT_FOUND', 'the array of predefined datatypes was not found');
  const untold = unavailable(nothing.code, `it is ${name}; mpidbg cannot tell whether the program has renamed it`);
  return { ...withoutObject(handle, untold, nothing), constant: name };
}

/** A predefined datatype whose object cannot be read, for the reason `nothing`: its handle contains the size, except for pairs. */
export function withoutObject(handle: bigint, name: Known<string>, nothing: Unavailable): DatatypeInfo {
  const { how, index } = decodeBits(handle);
  return {
    ...{ handle: hex(handle), fortranHandle: fortranHandle(handle), name, flags: ['predefined', 'committed'] },
    size: how === 'builtin' ? (index >>> 8) & 0xff : nothing,
    ...{ lb: nothing, extent: nothing, trueLb: nothing, trueExtent: nothing },
    combiner: 'MPI_COMBINER_NAMED',
    ...{ typeMap: nothing, pendingRequests: nothing },
  };
}

/** With more records the answer would be too long. */
const maxShown = 4096;
