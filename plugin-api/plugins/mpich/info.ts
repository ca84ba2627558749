/** MPI_Info: keys and values, in a list until MPICH 4.0 and in an array since 4.1. */
import { boundedCount, readText, walkList } from '../../memory';
import type { InfoInfo } from '../../mpi/records';
import { CorruptError, guard, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedName } from './constants';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { isOfFile } from './open-files';
import { systemHints } from './system-hints';
import { infoEntrySpec, infoSpec } from './specs';

type InfoObject = StructValues<typeof infoSpec>;

interface Entry {
  key: string;
  value: string;
}

const maxEntries = 4096;
/** MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL, with the NUL. */
const maxKeyLength = 256;
const maxValueLength = 1025;

/** Throws what liveObject throws. */
export async function readInfo(decoder: Decoder, handle: bigint): Promise<InfoInfo> {
  const object = await decoder.objects.reader.read(infoSpec, await liveObject(decoder, 'info', handle));
  const name = predefinedName('info', handle);
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name: name ?? '',
    ...(name === undefined ? await flagsOf(decoder, object, handle) : { flags: ['predefined'] }),
    entries: await known(() => readEntries(decoder, object)),
    usedBy: unavailable(
      'MPIDBG_ERR_NOT_SUPPORTED',
      'MPICH copies the keys of an info object that is passed, and does not record the object',
    ),
  };
}

/** Until 4.0, each key of an info object is an object of the same pool, for which the program has no handle. */
function isEntry({ key = 0n }: InfoObject): boolean {
  return key !== 0n;
}

async function flagsOf(
  decoder: Decoder,
  object: InfoObject,
  handle: bigint,
): Promise<Pick<InfoInfo, 'flags' | 'unknownFlags'>> {
  if (isEntry(object)) return { flags: ['internal'] };
  const ofFile = await isOfFile(decoder, handle);
  const hints = await guard(() => systemHints(decoder));
  if (ofFile === true || (hints.ok && hints.value === handle)) return { flags: ['internal'] };
  const isKnown = ofFile === false && hints.ok;
  return { flags: [], unknownFlags: isKnown ? ['freedHandle'] : ['freedHandle', 'internal'] };
}

async function readEntries(decoder: Decoder, object: InfoObject): Promise<Entry[]> {
  const { reader } = decoder.objects;
  const { next, entries, count, key = 0n, value = 0n } = object;
  if (isEntry(object)) return [await readEntry(decoder, { key, value })];
  if (next !== undefined) return listEntries(decoder, next);
  if (entries === undefined || count === undefined)
    throw new CorruptError('the layout has no entries of an info object');
  const found = await reader.readArray(infoEntrySpec, entries, boundedCount(count, maxEntries, 'the number of keys'));
  return Promise.all(found.map((entry) => readEntry(decoder, entry)));
}

/** The first object of the list is the handle's own and holds no entry. */
async function listEntries(decoder: Decoder, first: bigint): Promise<Entry[]> {
  const read = (address: bigint) => decoder.objects.reader.read(infoSpec, address);
  const next = ({ next }: InfoObject) => (next === 0n ? undefined : next);
  const entries: Entry[] = [];
  const start = first === 0n ? undefined : first;
  for await (const { key = 0n, value = 0n } of walkList(start, read, next, maxEntries, 'the list of keys'))
    entries.push(await readEntry(decoder, { key, value }));
  return entries;
}

async function readEntry({ image }: Decoder, { key, value }: { key: bigint; value: bigint }): Promise<Entry> {
  return { key: await readText(image, key, maxKeyLength), value: await readText(image, value, maxValueLength) };
}
