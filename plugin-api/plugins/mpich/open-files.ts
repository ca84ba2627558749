/**
 * The files that are open. ROMIO, which is the MPI-IO of MPICH, keeps no list of them, and nothing in its data leads to
 * one: an MPI_File is memory from malloc that begins with a cookie and refers to the communicator that the file works on,
 * a duplicate of the one that opened it. ROMIO caches the names of the nodes on both: a process has no file when no
 * communicator that may be such a duplicate has these names, and needs no search then.
 */
import { groupedBy } from '../../grouped-by';
import type { HandleRef, Known, Unavailable } from '../../mpi/records';
import { describeRef } from '../../mpi/describe-ref';
import { once, onceByKey } from '../../once';
import { guard, isUnavailable, known, QueryError, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { readAttributes } from './attributes';
import { predefinedName } from './constants';
import { hex, refTo, type Decoder } from './handles';
import { liveComms } from './live-objects';
import { fileSpec, type commSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

export const fileCookie = 2487376;

export interface OpenFile {
  file: StructValues<typeof fileSpec>;
  /** What it works on. */
  comm: Comm;
  /** Address of what ROMIO caches on its communicator and on the one that opened it. */
  names: bigint;
  /** The file whose shared pointer it keeps, which ROMIO opened it for; undefined: the program opened it. */
  keptFor: bigint | undefined;
}

export interface OpenFiles {
  files: readonly OpenFile[];
  /** Why there may be more. */
  gap?: string;
}

/** Throws FaultError, QueryError if they cannot be determined. */
export const openFiles = once(async (decoder: Decoder): Promise<OpenFiles> => {
  const carriers = await namesByComm(decoder);
  if (![...carriers.values()].some(({ comm }) => mayBeDuplicate(comm))) return { files: [] };
  const { reader } = decoder.objects;
  await reader.sizeOf(fileSpec);
  const search = await decoder.image.findAllocated(fileCookie);
  if (search === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${noList}, and what the process has allocated is not known`);
  const found: Omit<OpenFile, 'keptFor'>[] = [];
  for (const address of search.addresses) {
    const file = await guard(() => reader.read(fileSpec, address));
    const carrier = file.ok ? carriers.get(file.value.comm) : undefined;
    if (file.ok && file.value.cookie === fileCookie && carrier !== undefined && mayBeDuplicate(carrier.comm))
      found.push({ file: file.value, ...carrier });
  }
  // A duplicate belongs to one file: of two that refer to it, one is left over in freed memory.
  const byComm = groupedBy(found, ({ comm }) => comm.address);
  const files = found.filter(({ comm }) => byComm.get(comm.address)?.length === 1);
  const gap = files.length < found.length ? 'several structs refer to the same communicator' : search.gap;
  const byKept = groupedBy(files, ({ file }) => file.sharedPointerFile);
  const keeper = ({ file }: (typeof files)[number]) => byKept.get(file.address)?.[0]?.file.address;
  return {
    files: files.map((each) => ({ ...each, keptFor: keeper(each) })),
    ...(gap === undefined ? {} : { gap: `${noList}, and ${gap}` }),
  };
});

const noList = 'ROMIO, which is the MPI-IO of MPICH, keeps no list of open files';

/** MPI_Comm_dup gives no name, and the program does not have the handle. */
function mayBeDuplicate({ handle, name }: Comm): boolean {
  return name === '' && predefinedName('comm', BigInt(handle)) === undefined;
}

interface Carrier {
  comm: Comm;
  names: bigint;
}

/** The communicators that files work on or were opened with, and duplicates of these, by handle. Throws QueryError. */
const namesByComm = once(async (decoder: Decoder): Promise<ReadonlyMap<number, Carrier>> => {
  const found = new Map<number, Carrier>();
  for (const comm of await liveComms(decoder)) {
    const { ofLibrary } = await readAttributes(decoder, comm.attributes);
    if (isUnavailable(ofLibrary)) throw new QueryError(ofLibrary.code, ofLibrary.reason);
    // Among ROMIO's keyvals for communicators, only the one for the names has a copy function.
    const names = ofLibrary.find(({ keyval }) => keyval.copyFunction !== 0n);
    if (names !== undefined) found.set(comm.handle, { comm, names: names.value });
  }
  return found;
});

/** Why it is unknown whether the communicator is the duplicate of a file; undefined: it is known. */
export async function whyPerhapsOfFile(decoder: Decoder, comm: Comm): Promise<string | undefined> {
  if (!mayBeDuplicate(comm)) return undefined;
  const carriers = await guard(() => namesByComm(decoder));
  if (!carriers.ok) return carriers.reason;
  if (!carriers.value.has(comm.handle)) return undefined;
  const open = await guard(() => openFiles(decoder));
  return open.ok ? open.value.gap : open.reason;
}

/** The objects that files own, such as copies of the datatypes of their views. */
const handlesOfFiles = once(async (decoder: Decoder) => {
  const { files } = await openFiles(decoder);
  return new Set(files.flatMap(({ file: { etype, filetype, info } }) => [etype, filetype, info]));
});

/** Whether a file has this datatype or info of its own; undefined where not all files are known. */
export async function isOfFile(decoder: Decoder, handle: bigint): Promise<boolean | undefined> {
  const open = await guard(() => openFiles(decoder));
  if (!open.ok) return undefined;
  if ((await handlesOfFiles(decoder)).has(Number(handle))) return true;
  return open.value.gap === undefined ? false : undefined;
}

/** The communicators that files work on. */
const commsOfFiles = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  return new Set((await openFiles(decoder)).files.map(({ comm }) => comm.address));
});

/** The communicators that may have opened a file: those that share the names with it and belong to no file themselves. */
const openers = onceByKey(async (decoder: Decoder, names: bigint): Promise<string[]> => {
  const ofFiles = await commsOfFiles(decoder);
  const carriers = [...(await namesByComm(decoder)).values()].filter((carrier) => carrier.names === names);
  const comms = carriers.map(({ comm }) => comm).filter(({ address }) => !ofFiles.has(address));
  return Promise.all(comms.map(async ({ address }) => describeRef(await refTo(decoder, 'comm', address))));
});

const filesByAddress = once(async (decoder: Decoder): Promise<ReadonlyMap<bigint, OpenFile>> => {
  return new Map((await openFiles(decoder)).files.map((open) => [open.file.address, open]));
});

/** One that ROMIO opened to keep the shared pointer of another. */
export async function isInternalFile(decoder: Decoder, address: bigint): Promise<boolean> {
  const open = await guard(() => filesByAddress(decoder));
  return open.ok && open.value.get(address)?.keptFor !== undefined;
}

/** Which communicator opened a file: never known, but who may have. */
export async function whyNoOpener(decoder: Decoder, address: bigint): Promise<Unavailable> {
  const names = await known(async () => {
    const open = (await filesByAddress(decoder)).get(address);
    return open === undefined ? undefined : openers(decoder, open.names);
  });
  const perhaps =
    isUnavailable(names) || names === undefined
      ? ''
      : `: ${[...names, names.length === 0 ? 'one' : 'a duplicate'].join(', or ')} that was freed since`;
  return unavailable(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `ROMIO does not record which communicator opened the file: it works on an unnamed duplicate${perhaps}`,
  );
}

/** The program's files whose communicators share these names. */
const filesWithNames = onceByKey(async (decoder: Decoder, names: bigint): Promise<string[]> => {
  const shared = (await openFiles(decoder)).files.filter((open) => open.names === names && open.keptFor === undefined);
  return shared.map(({ file }) => hex(file.address));
});

/** The files that a communicator opened: known where there is none. */
export async function filesOf(decoder: Decoder, comm: Comm): Promise<Known<HandleRef[]>> {
  const carrier = (await namesByComm(decoder)).get(comm.handle);
  if (carrier === undefined) return [];
  const { gap } = await openFiles(decoder);
  if (gap !== undefined) return unavailable('MPIDBG_ERR_NOT_SUPPORTED', gap);
  if ((await commsOfFiles(decoder)).has(comm.address)) return [];
  const which = (await filesWithNames(decoder, carrier.names)).join(', ');
  if (which === '') return [];
  return unavailable(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `ROMIO does not record which communicator opened a file: this one, or one that it was duplicated from or to, opened MPI_File ${which}`,
  );
}
