/**
 * What a handle's 32 bits stand for, and where the object behind it lies. Bits 31-30 say how it is found (0: a null
 * handle, 1: predefined, 2: in its pool's direct array, 3: in a further block), bits 29-26 the kind of object.
 * Fortran's INTEGER handles are the same bits.
 */
import type { ProcessImage } from '../../image';
import type { HandleKind, HandleRef } from '../../mpi/records';
import { CorruptError, QueryError, guard, isUnavailable } from '../../result';
import { predefinedName } from './constants';
import { blockObject, directObject, type Objects, type Pool } from './containers';
import type { Library } from './library';
import { freeIn, lifeOf, type Life } from './liveness';
import { commNameSpec, datatypeNameSpec, objectSpec, winNameSpec } from './specs';

/** The context of every decoder: one process at one stop, and the objects found through a verified layout. */
export interface Decoder {
  readonly image: ProcessImage;
  readonly library: Library;
  readonly objects: Objects;
}

interface KindFacts {
  type: string;
  word: string;
  nullName: string;
  nullFlag: string;
}

/** A status is no handle; a file is a pointer and has no bits. */
const kinds: Readonly<Record<Exclude<HandleKind, 'status'>, KindFacts>> = {
  comm: { type: 'MPI_Comm', word: 'communicator', nullName: 'MPI_COMM_NULL', nullFlag: 'commNull' },
  datatype: { type: 'MPI_Datatype', word: 'datatype', nullName: 'MPI_DATATYPE_NULL', nullFlag: 'datatypeNull' },
  errhandler: {
    type: 'MPI_Errhandler',
    word: 'error handler',
    nullName: 'MPI_ERRHANDLER_NULL',
    nullFlag: 'errhandlerNull',
  },
  file: { type: 'MPI_File', word: 'file', nullName: 'MPI_FILE_NULL', nullFlag: 'fileNull' },
  group: { type: 'MPI_Group', word: 'group', nullName: 'MPI_GROUP_NULL', nullFlag: 'groupNull' },
  info: { type: 'MPI_Info', word: 'info object', nullName: 'MPI_INFO_NULL', nullFlag: 'infoNull' },
  message: { type: 'MPI_Message', word: 'message', nullName: 'MPI_MESSAGE_NULL', nullFlag: 'messageNull' },
  op: { type: 'MPI_Op', word: 'operation', nullName: 'MPI_OP_NULL', nullFlag: 'opNull' },
  request: { type: 'MPI_Request', word: 'request', nullName: 'MPI_REQUEST_NULL', nullFlag: 'requestNull' },
  session: { type: 'MPI_Session', word: 'session', nullName: 'MPI_SESSION_NULL', nullFlag: 'sessionNull' },
  win: { type: 'MPI_Win', word: 'window', nullName: 'MPI_WIN_NULL', nullFlag: 'winNull' },
};

/** MPICH's numbers of the kinds; a message is a request. */
const kindNumbers: Readonly<Partial<Record<HandleKind, number>>> = {
  comm: 1,
  group: 2,
  datatype: 3,
  errhandler: 5,
  op: 6,
  info: 7,
  win: 8,
  request: 11,
  message: 11,
  session: 14,
};

/** Words for every number, including those that are no kind of MPI's. */
const words: Readonly<Record<number, string>> = {
  ...Object.fromEntries(
    Object.entries(kindNumbers)
      .filter(([kind]) => kind !== 'message')
      .map(([kind, number]) => [number, kinds[kind as keyof typeof kinds].word]),
  ),
  9: 'attribute key',
  10: 'attribute',
  12: 'connection',
  13: 'class of generalized requests',
  15: 'stream',
};

/** The kinds whose objects lie in pools: a file is a pointer, a status is memory. */
export type PoolKind = Exclude<HandleKind, 'status' | 'file'>;

const blockBits = { shift: 12, mask: 0x3fff, indexMask: 0xfff };
/** Until 4.2, bits 20-25 of a request's handle are the number of its pool. */
const oldPoolBits = { shift: 20, mask: 63, blockMask: 0xff };
/** Since 4.3, a flag says whether the handle has such a number. */
const poolFlag = 0x2000000;
const newPoolBits = { shift: 19, mask: 63, blockMask: 0x7f };
/** MPI_COMM_WORLD, MPI_COMM_SELF and, in some releases, a third that only the library knows. */
const builtinComms = 3;
/** More than any other class has. */
const maxBuiltins = 256;
const commNumber = 1;
const datatypeNumber = 3;
const requestNumber = 11;

export interface HandleBits {
  how: 'null' | 'builtin' | 'direct' | 'indirect';
  kindNumber: number;
  index: number;
}

/** Decodes a handle that fits in 32 bits. */
export function decodeBits(handle: bigint): HandleBits {
  const bits = Number(handle);
  const how = (['null', 'builtin', 'direct', 'indirect'] as const)[bits >>> 30]!;
  return { how, kindNumber: (bits >>> 26) & 15, index: bits & 0x3ffffff };
}

export function hex(handle: bigint): string {
  return `0x${handle.toString(16)}`;
}

/** MPI_COMM_NULL and the like. */
export function isNull(kind: HandleKind, handle: bigint): boolean {
  return kind !== 'status' && predefinedName(kind, handle) === kinds[kind].nullName;
}

/** The answer for a null handle, in every state of the process. */
export function nullInfo(kind: HandleKind, handle: bigint): object {
  const { nullName, nullFlag } = kinds[kind as Exclude<HandleKind, 'status'>];
  return { handle: hex(handle), fortranHandle: fortranHandle(handle), name: nullName, flags: ['predefined', nullFlag] };
}

/** MPI_Comm_c2f and the like: the same bits as a signed number. */
export function fortranHandle(handle: bigint): number {
  return Number(BigInt.asIntN(32, handle));
}

/** Throws CorruptError for a value that can never be a handle of this kind. */
export function checkBits(kind: PoolKind, handle: bigint): HandleBits {
  const { word } = kinds[kind];
  if (handle === 0n) throw new CorruptError(`0 is not a handle of MPICH: the ${word} variable may never have been set`);
  if (handle !== BigInt.asUintN(32, handle)) throw new CorruptError(`${hex(handle)} is not a 32-bit handle of MPICH`);
  const bits = decodeBits(handle);
  const actual = words[bits.kindNumber];
  if (actual === undefined)
    throw new CorruptError(`${hex(handle)} is not a handle of MPICH: its bits name no kind of object`);
  if (bits.kindNumber !== kindNumbers[kind]) {
    const name = nameOfAny(handle) ?? (bits.how === 'null' ? `a null handle of ${article(actual)}` : undefined);
    // Whether there is such an object is another question.
    const what = name === undefined ? `has the form of a handle of ${article(actual)}` : `is ${name}`;
    throw new CorruptError(`${hex(handle)} ${what}, not ${article(word)} handle`);
  }
  if (bits.how === 'null')
    throw new CorruptError(`${hex(handle)} is neither ${kinds[kind].nullName} nor a handle of an object`);
  return bits;
}

function nameOfAny(handle: bigint): string | undefined {
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const name = predefinedName(kind, handle);
    if (name !== undefined) return `${name}, ${article(kinds[kind].word)}`;
  }
  return undefined;
}

function article(word: string): string {
  return `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;
}

/** MPICH's number of the kind. */
export function classNumber(kind: PoolKind): number {
  return kindNumbers[kind]!;
}

/** The handle of an object by its address. Throws FaultError. */
export async function handleOf({ objects }: Decoder, kind: HandleKind, address: bigint): Promise<bigint> {
  return kind === 'file' ? address : BigInt((await objects.reader.read(objectSpec, address)).handle);
}

/**
 * The address of the live object. Throws CorruptError when there is none, QueryError with ERR_OUT_OF_RANGE for an index
 * outside the pool, and with ERR_UNAVAILABLE for one that the library is making or freeing at this moment.
 */
export async function liveObject(decoder: Decoder, kind: PoolKind, handle: bigint): Promise<bigint> {
  const { objects } = decoder;
  const bits = checkBits(kind, handle);
  const { word } = kinds[kind];
  const slot = slotOf(objects, bits);
  if (slot === undefined) throw new CorruptError(`the pool of ${hex(handle)} was not found`);
  const isPooled = bits.how !== 'builtin' && !(bits.how === 'direct' && slot.pool.isDirectApart);
  // MPICH frees the pool of infos with the last of them, and creates other pools with the first object.
  if (isPooled && !slot.pool.isInitialized) throw notLive(word, handle);
  if (bits.how === 'builtin' && !objects.builtins.has(bits.kindNumber))
    throw new CorruptError(`${hex(handle)}: MPICH has not made this ${word} here`);
  const address = await addressAt(objects, slot, bits);
  if (address === undefined)
    throw new QueryError(
      'MPIDBG_ERR_OUT_OF_RANGE',
      `${hex(handle)}: there is no ${word} with this index${counts(slot.pool)}`,
    );
  const object = await objects.reader.read(objectSpec, address);
  if (BigInt(object.handle) !== handle)
    throw await whyOtherHandle(objects, kind, handle, object, isPooled ? slot.pool : undefined);
  const life = isPooled ? await lifeOf(objects, kind, slot.pool, object) : lifeOfPredefined(kind, object.references);
  if (life === 'free') throw notLive(word, handle);
  if (life === 'unreferenced')
    throw new CorruptError(
      `${hex(handle)} is not a live ${word}: it has no references, unless their number has been overwritten`,
    );
  if (life === 'changing' && object.references < 0)
    throw new CorruptError(
      `the ${word} ${hex(handle)} has been overwritten: it has ${object.references} references, but is not among MPICH's free objects`,
    );
  if (life === 'changing')
    throw new QueryError(
      'MPIDBG_ERR_UNAVAILABLE',
      `${hex(handle)}: MPICH is making or freeing this ${word} right now, or its number of references has been overwritten`,
    );
  return address;
}

/** MPICH writes the handles of all objects of a pool before it uses any. `pool`: undefined for a predefined object. */
async function whyOtherHandle(
  objects: Objects,
  kind: PoolKind,
  handle: bigint,
  object: { address: bigint; handle: number },
  pool: Pool | undefined,
): Promise<CorruptError> {
  const { word } = kinds[kind];
  const reads = `its own handle reads ${hex(BigInt(object.handle))}`;
  if (pool === undefined)
    return new CorruptError(
      predefinedName(kind, handle) === undefined
        ? `${hex(handle)}: either no ${word} was ever created with this handle, or it has been overwritten (${reads})`
        : `${hex(handle)}: either MPICH has not made this ${word} here, or it has been overwritten (${reads})`,
    );
  const free = await freeIn(objects, pool);
  if (isUnavailable(free))
    return new CorruptError(`${hex(handle)} is not a live ${word}, or it has been overwritten: ${reads}`);
  if (free.has(object.address)) return notLive(word, handle);
  return new CorruptError(
    `the ${word} ${hex(handle)} has been overwritten: ${reads}, but it is not among MPICH's free objects`,
  );
}

/** Among predefined objects, only communicators are counted, and freed in MPI_Finalize. */
function lifeOfPredefined(kind: PoolKind, references: number): Life {
  return kind === 'comm' && references <= 0 ? 'changing' : 'live';
}

function notLive(word: string, handle: bigint): CorruptError {
  return new CorruptError(`${hex(handle)} is not a live ${word}: it was freed or never created`);
}

function counts(pool: Pool): string {
  return `, the pool has ${pool.directCount + pool.blockCount * pool.blockSize}`;
}

interface PoolSlot {
  pool: Pool;
  block: number;
  index: number;
}

/** Which pool, and for a handle that is neither builtin nor direct which block in it. */
function slotOf(objects: Objects, { kindNumber, index }: HandleBits): PoolSlot | undefined {
  const inBlock = index & blockBits.indexMask;
  const block = (index >>> blockBits.shift) & blockBits.mask;
  if (kindNumber !== requestNumber) {
    const pool = objects.pools.get(kindNumber);
    return pool && { pool, block, index: inBlock };
  }
  const [first] = objects.requestPools;
  if (first === undefined) return undefined;
  if (first.hasBlockSize && (index & poolFlag) === 0) return { pool: first, block, index: inBlock };
  const { shift, mask, blockMask } = first.hasBlockSize ? newPoolBits : oldPoolBits;
  const pool = objects.requestPools[(index >>> shift) & mask];
  return pool && { pool, block: block & blockMask, index: inBlock };
}

/** undefined: outside the pool. */
async function addressAt(
  objects: Objects,
  slot: PoolSlot,
  { how, index, kindNumber }: HandleBits,
): Promise<bigint | undefined> {
  if (how === 'builtin') {
    const array = objects.builtins.get(kindNumber);
    const element = kindNumber === datatypeNumber ? index & 0xff : index;
    return array === undefined || element >= (kindNumber === commNumber ? builtinComms : maxBuiltins)
      ? undefined
      : array + BigInt(element * objects.pools.get(kindNumber)!.size);
  }
  // The direct array belongs to the first pool.
  if (how === 'direct') return directObject(objects.pools.get(kindNumber) ?? slot.pool, index);
  return blockObject(objects.reader.image, slot.pool, slot.block, slot.index);
}

/** The reference to the object at this address. Throws CorruptError when its handle is not of this kind. */
export async function refTo({ objects }: Decoder, kind: PoolKind, address: bigint): Promise<HandleRef> {
  const { reader, provedNames } = objects;
  const { handle } = await reader.read(objectSpec, address);
  if (decodeBits(BigInt(handle)).kindNumber !== kindNumbers[kind])
    throw new CorruptError(`there is no ${kinds[kind].word} at ${hex(address)}`);
  if ((kind === 'comm' || kind === 'datatype') && !provedNames.has(kind)) return { kind, handle: hex(BigInt(handle)) };
  const ref = refOf(kind, BigInt(handle));
  const named = namedSpecs[kind];
  const name = named === undefined ? '' : (await reader.read(named, address)).name;
  return name === '' ? ref : { ...ref, name };
}

const namedSpecs: Readonly<Partial<Record<PoolKind, typeof commNameSpec>>> = {
  comm: commNameSpec,
  datatype: datatypeNameSpec,
  win: winNameSpec,
};

/** The reference to a handle that the library stores; predefined ones have names. */
export function refOf(kind: PoolKind, handle: bigint): HandleRef {
  const name = predefinedName(kind, handle);
  return { kind, handle: hex(handle), ...(name === undefined ? {} : { name }) };
}

/** The handle as a reference, with the name that the program gave if the object can be read. */
export async function namedRefOf(decoder: Decoder, kind: PoolKind, handle: bigint): Promise<HandleRef> {
  const found = await guard(async () => refTo(decoder, kind, await liveObject(decoder, kind, handle)));
  return found.ok ? found.value : refOf(kind, handle);
}
