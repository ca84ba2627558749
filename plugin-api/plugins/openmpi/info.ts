/** MPI_Info. */
import { boundedCount, readText } from '../../memory';
import type { InfoInfo } from '../../mpi/records';
import { known, unavailable } from '../../result';
import { decodeText } from '../../struct';
import { listOf } from './containers';
import { checkHandle, checkSlot, classNames, type Decoder, objectName } from './handles';
import { infoUsers } from './live-handles';
import { cstringSpec, infoEntrySpec, infoSpec } from './specs';

/** Throws CorruptError if there is no live info at this address. Not for MPI_INFO_NULL. */
export async function readInfo(decoder: Decoder, handle: bigint): Promise<InfoInfo> {
  await checkHandle(decoder, 'info', handle);
  const name = await objectName(decoder, 'info', handle);
  return {
    handle: `0x${handle.toString(16)}`,
    ...(await ownFacts(decoder, handle, name !== '')),
    name,
    entries: await known(() => readEntries(decoder, handle)),
    usedBy: await known(() => infoUsers(decoder, handle)),
  };
}

/** The copies in communicators, files and windows are of the class below, which has no Fortran handle. */
async function ownFacts(
  decoder: Decoder,
  handle: bigint,
  isPredefined: boolean,
): Promise<Pick<InfoInfo, 'fortranHandle' | 'flags' | 'unknownFlags'>> {
  if (!(await classNames(decoder, handle)).includes(infoSpec.struct)) {
    const reason = "the library's own copy of an info has no Fortran handle";
    return { fortranHandle: unavailable('MPIDBG_ERR_NOT_FOUND', reason), flags: [] };
  }
  const { fortranHandle, isFreed } = await decoder.reader.read(infoSpec, handle);
  await checkSlot(decoder, 'info', handle, fortranHandle);
  const flags: InfoInfo['flags'] = isPredefined ? ['predefined'] : [];
  // Freed infos are not in the library's table: MPI_Info_free is at work, or the word has been overwritten.
  return { fortranHandle, flags, ...(isFreed ? { unknownFlags: ['freedHandle'] } : {}) };
}

const maxEntries = 1 << 14;
/** MPI_MAX_INFO_VAL is 256; the library itself stores longer values. */
const maxTextLength = 1 << 16;
/** What the library stores for itself: marked as such since 5.0.5, named so before. */
const internalKey = '_OMPI_IN_';

async function readEntries(decoder: Decoder, info: bigint): Promise<{ key: string; value: string }[]> {
  const { reader } = decoder;
  const entries: { key: string; value: string }[] = [];
  for await (const address of listOf(reader, info, maxEntries, 'the list of keys')) {
    const entry = await reader.read(infoEntrySpec, address);
    const key = typeof entry.key === 'string' ? entry.key : await readCstring(decoder, entry.key);
    if (entry.isInternal === true || key.startsWith(internalKey)) continue;
    const isOld = typeof entry.key === 'string';
    const value = isOld
      ? await readText(decoder.image, entry.value, maxTextLength)
      : await readCstring(decoder, entry.value);
    entries.push({ key, value });
  }
  return entries;
}

async function readCstring({ image, reader }: Decoder, address: bigint): Promise<string> {
  const { length, text } = await reader.read(cstringSpec, address);
  const bytes = boundedCount(Number(length), maxTextLength, 'the length of a text');
  return bytes === 0 ? '' : decodeText(await image.readMemory(text, bytes));
}
