/**
 * What a handle's value stands for: null, a live object of some kind, or nothing; and Fortran's numbers for handles.
 */
import type { ProcessImage } from '../../image';
import { readPointer, readText, readTextBytes } from '../../memory';
import type { HandleRef, Known } from '../../mpi/records';
import { onceByKey } from '../../once';
import { CorruptError, FaultError, guard, isUnavailable, known, QueryError, unavailable } from '../../result';
import type { StructReader } from '../../struct';
import { kinds, type Classes } from './classes';
import type { Constants, PredefinedKind } from './constants';
import { lowestAddress, readPointerArrayAt, type PointerArray } from './containers';
import type { Library } from './library';
import type { Evidence } from '../../mpi/identity';
import { commSpec, datatypeSpec, objectSpec, pointerArraySpec, winSpec } from './specs';

/** What every decoder works with: one process at one stop, and the layouts that were verified against it. */
export interface Decoder {
  readonly image: ProcessImage;
  readonly library: Library;
  readonly reader: StructReader;
  readonly constants: Constants;
  readonly classes: Classes;
}

/** The names of the classes of an object; empty: there is no object. */
export async function classNames({ reader, classes }: Decoder, object: bigint): Promise<readonly string[]> {
  return classes.namesOf((await reader.read(objectSpec, object)).objClass);
}

/** Throws CorruptError, which says what is there, unless `handle` is the address of a live object of this kind. */
export async function checkHandle(decoder: Decoder, kind: PredefinedKind, handle: bigint): Promise<void> {
  const { type } = kinds[kind];
  const hex = `0x${handle.toString(16)}`;
  if (handle === 0n) throw new CorruptError(`0 is not an ${type}: the variable has not been set`);
  if (handle < lowestAddress || handle % 8n !== 0n)
    throw new CorruptError(`${hex} is not an ${type}: it is not the address of an object`);
  const object = await readObject(decoder, handle, type);
  const found = await decoder.classes.kindOf(object.objClass);
  if (found !== kind || object.referenceCount <= 0)
    throw await whyNotLive(decoder, kind, handle, found, object.referenceCount);
}

/** An object that was overwritten looks like one that is gone: only the library's table tells them apart. */
async function whyNotLive(
  decoder: Decoder,
  kind: PredefinedKind,
  handle: bigint,
  found: PredefinedKind | undefined,
  references: number,
): Promise<CorruptError> {
  const { type, word } = kinds[kind];
  const hex = `0x${handle.toString(16)}`;
  const slot = await slotOf(decoder, kind, handle);
  const isInTable = typeof slot === 'number';
  const constant = await decoder.constants.predefined(kind, handle);
  if (constant !== undefined && !isInTable)
    return predefinedOverwritten(
      constant.name,
      handle,
      found === kind ? `it has the reference count ${references}` : `its class is not that of an ${type}`,
    );
  const isGone = slot === undefined && kinds[kind].isInTableLate !== true && (await isTableSound(decoder, kind));
  if (found === undefined) {
    if (isInTable) return overwritten(kind, handle, 'its class is none of Open MPI', slot);
    return new CorruptError(
      isGone
        ? `no live ${word} at ${hex}: its class is gone, so it was freed or never was one`
        : `no live ${word} at ${hex}: its class is gone, so it was freed, has been overwritten or never was one`,
    );
  }
  if (found !== kind)
    return isInTable
      ? overwritten(kind, handle, `its class is that of an ${kinds[found].type}`, slot)
      : new CorruptError(`${hex} is not an ${type}: the object there is an ${kinds[found].type}`);
  const count = `reference count ${references}`;
  if (isInTable && references < 0) return overwritten(kind, handle, `it has the ${count}`, slot);
  if (isInTable)
    return new CorruptError(
      `no ${word} that is surely live at ${hex}: it has the ${count}, but the library's table has it as number ${slot}, so a call is freeing it, or it has been overwritten`,
    );
  return new CorruptError(
    isGone
      ? `no live ${word} at ${hex}: it was freed (${count}), or a call is freeing it`
      : `no ${word} that is surely live at ${hex}: it was freed (${count}), a call is freeing it, or it has been overwritten`,
  );
}

/** The table has it at `slot`, which `field` denies. */
export function overwritten(kind: PredefinedKind, handle: bigint, field: string, slot: number): CorruptError {
  const at = `0x${handle.toString(16)}`;
  return new CorruptError(
    `the ${kinds[kind].word} at ${at} has been overwritten: ${field}, but the library's table has it as number ${slot}`,
  );
}

/** Nobody frees a predefined object but MPI_Finalize. The library's table does not have it either. */
function predefinedOverwritten(name: string, handle: bigint, field: string): CorruptError {
  return new CorruptError(
    `${name} at 0x${handle.toString(16)} has been overwritten, or MPI_Finalize has ended it: ${field}, and the library's table does not have it`,
  );
}

async function readObject(decoder: Decoder, handle: bigint, type: string) {
  try {
    return await decoder.reader.read(objectSpec, handle);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const hex = `0x${handle.toString(16)}`;
    const where = decoder.image.target === 'core' ? 'not in the core' : 'not mapped';
    throw new CorruptError(`${hex} is not an ${type}: there is no memory at that address (${where})`);
  }
}

/** A reference to a live object, with its name if it has one. Throws CorruptError if there is none of the kind. */
export async function handleRef(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<HandleRef> {
  await checkHandle(decoder, kind, address);
  const handle = `0x${address.toString(16)}`;
  const name = await objectName(decoder, kind, address);
  return name === '' ? { kind, handle } : { kind, handle, name };
}

/** MPI_MAX_OBJECT_NAME. */
const maxNameLength = 64;
/** OMPI_COMM_NAMEISSET: without it the field holds an internal text. */
export const commIsNamed = 0x2;

/** What MPI_*_get_name answers, for kinds that have it; else a predefined object's constant; else empty. */
export async function objectName(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<string> {
  const name = await givenName(decoder, kind, address);
  return name !== '' ? name : ((await decoder.constants.predefined(kind, address))?.name ?? '');
}

/** Empty also for an object that never got one. */
export async function givenName(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<string> {
  const stored = await storedName(decoder, kind, address);
  return typeof stored === 'bigint' ? readText(decoder.image, stored, maxNameLength) : stored;
}

/** Where the text of a name lies that is not in the object. */
export async function nameText(decoder: Decoder, kind: PredefinedKind, address: bigint): Promise<Evidence[]> {
  const stored = await storedName(decoder, kind, address);
  if (typeof stored !== 'bigint') return [];
  return [{ address: stored, length: (await readTextBytes(decoder.image, stored, maxNameLength)).length }];
}

/** The text, or its address. */
async function storedName({ reader }: Decoder, kind: PredefinedKind, address: bigint): Promise<string | bigint> {
  if (kind === 'comm') {
    const { flags, name } = await reader.read(commSpec, address);
    return (flags & commIsNamed) !== 0 ? name : '';
  }
  if (kind !== 'datatype' && kind !== 'win') return '';
  const { name } = await reader.read(kind === 'datatype' ? datatypeSpec : winSpec, address);
  return name === 0n ? '' : name;
}

/**
 * Throws CorruptError unless the object is in the slot of its kind's Fortran table that it names, from which a freed
 * object is taken even where its memory is still intact.
 */
export async function checkSlot(decoder: Decoder, kind: PredefinedKind, handle: bigint, slot: number): Promise<void> {
  const table = await tableOf(decoder, kind);
  if (slot >= 0 && slot < table.size && (await table.item(slot)) === handle) return;
  const actual = await slotOf(decoder, kind, handle);
  if (typeof actual === 'number') throw overwritten(kind, handle, `its own number reads ${slot}`, actual);
  const constant = await decoder.constants.predefined(kind, handle);
  if (constant !== undefined) throw predefinedOverwritten(constant.name, handle, `its own number reads ${slot}`);
  // Who frees an object takes its references first: one that has some, and no slot, is not surely freed.
  const why = `either it was freed or it has been overwritten (its own number reads ${slot}, where the library's table does not have it)`;
  throw new CorruptError(`no live ${kinds[kind].word} at 0x${handle.toString(16)}: ${why}`);
}

async function holds(decoder: Decoder, kind: PredefinedKind, slot: number, handle: bigint): Promise<boolean> {
  const item = await guard(async () => {
    const table = await tableOf(decoder, kind);
    return slot >= 0 && slot < table.size ? table.item(slot) : 0n;
  });
  return item.ok && item.value === handle;
}

/**
 * The slot at which the table has an object whose own fields are in doubt: then the object is live, and overwritten.
 * Throws nothing.
 */
export async function provedSlot(decoder: Decoder, kind: PredefinedKind, handle: bigint): Promise<number | undefined> {
  const slot = await slotOf(decoder, kind, handle);
  return isUnavailable(slot) ? undefined : slot;
}

/** Where the kind's table has the object; undefined: nowhere; Unavailable: the table cannot be read. */
async function slotOf(decoder: Decoder, kind: PredefinedKind, handle: bigint): Promise<Known<number | undefined>> {
  const slots = await known(() => slotsOf(decoder, kind));
  if (isUnavailable(slots)) return slots;
  const slot = slots.indexOf(handle);
  return slot < 0 ? undefined : slot;
}

/**
 * False: something else than addresses of objects has been written into the table, or a slot has been emptied by somebody else than
 * the library, which counts them. Then what it lacks proves nothing.
 */
async function isTableSound(decoder: Decoder, kind: PredefinedKind): Promise<boolean> {
  const slots = await slotsOf(decoder, kind);
  const { free } = await tableOf(decoder, kind);
  return (
    free === slots.filter((item) => item === 0n).length &&
    slots.every((item) => item === 0n || (item >= lowestAddress && item < endOfAddresses && item % 8n === 0n))
  );
}

/** Where those of a process end, on all 64-bit processors that MPI runs on. */
const endOfAddresses = 1n << 57n;

/** The object in that slot. Throws OUT_OF_RANGE outside the table, CorruptError for a free slot. */
export async function fortranHandle(decoder: Decoder, kind: PredefinedKind, fortran: number): Promise<bigint> {
  const { word, table: name } = kinds[kind];
  const table = await tableOf(decoder, kind);
  if (fortran < 0 || fortran >= table.size) {
    const range = table.size === 0 ? 'which is empty' : `0 to ${table.size - 1}`;
    throw new QueryError('MPIDBG_ERR_OUT_OF_RANGE', `${fortran} is outside the table ${name} (${range})`);
  }
  const object = await table.item(fortran);
  if (object === 0n) throw new CorruptError(`no ${word} has the Fortran handle ${fortran}: the slot is free`);
  return object;
}

export const noFortranHandleYet = 'the program never asked for its Fortran handle';

/** The Fortran handle of a datatype, request or message, which gets a slot when a program first asks for it. */
export async function lateFortranNumber(
  decoder: Decoder,
  kind: PredefinedKind,
  handle: bigint,
  slot: number,
): Promise<Known<number>> {
  const noneYet = unavailable('MPIDBG_ERR_NOT_FOUND', noFortranHandleYet);
  const actual = (await holds(decoder, kind, slot, handle)) ? slot : await slotOf(decoder, kind, handle);
  // Nothing contradicts the object where the table cannot be read.
  if (isUnavailable(actual) || actual === slot) return slot >= 0 ? slot : noneYet;
  if (actual === undefined && slot < 0) return noneYet;
  const where = actual === undefined ? 'does not have it' : `has it as number ${actual}`;
  const reason = `its own number reads ${slot}, but the library's table ${where}: it has been overwritten`;
  return unavailable('MPIDBG_ERR_NOT_FOUND', reason);
}

/** Everything in a kind's table; at a stop in the middle of a call, that may include an unfinished object. */
export async function tableItems(decoder: Decoder, kind: PredefinedKind): Promise<bigint[]> {
  return (await slotsOf(decoder, kind)).filter((slot) => slot >= lowestAddress);
}

/** Where it is written which object a slot has. */
export async function slotPlaces(decoder: Decoder, kind: PredefinedKind, slot: number): Promise<Evidence[]> {
  const { address, variable } = await tablePlace(decoder, kind);
  const { items } = await decoder.reader.read(pointerArraySpec, address);
  return [
    ...(variable === undefined ? [] : [{ address: variable, length: 8 }]),
    await decoder.reader.placeOf(pointerArraySpec, 'size', address),
    await decoder.reader.placeOf(pointerArraySpec, 'items', address),
    { address: items + BigInt(8 * slot), length: 8 },
  ];
}

const slotsOf = onceByKey(async (decoder: Decoder, kind: PredefinedKind) => (await tableOf(decoder, kind)).slots());

const tableOf = onceByKey((decoder: Decoder, kind: PredefinedKind) => fortranTable(decoder, kind));

/** The table of a kind; its slots are Fortran's numbers. Throws NOT_SUPPORTED where this library exports none. */
export async function fortranTable(
  decoder: Pick<Decoder, 'image' | 'reader'>,
  kind: PredefinedKind,
): Promise<PointerArray> {
  return readPointerArrayAt(decoder.reader, (await tablePlace(decoder, kind)).address);
}

/** `variable`: where its address is written. */
async function tablePlace(
  { image }: Pick<Decoder, 'image'>,
  kind: PredefinedKind,
): Promise<{ address: bigint; variable?: bigint }> {
  const { table, type, isIndirect } = kinds[kind];
  const symbol = await image.findSymbol(table);
  if (symbol === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this Open MPI has no table of ${type}`);
  if (isIndirect !== true) return { address: symbol.address };
  return { address: await readPointer(image, symbol.address), variable: symbol.address };
}
