/**
 * The files that are open. ROMIO, which is the MPI-IO of MPICH, keeps no list of them, and nothing in its data leads to
 * one: an MPI_File is memory from malloc that begins with a cookie and refers to the communicator that the file works on,
 * a duplicate of the one that opened it. ROMIO caches the names of the nodes on both: a process has no file when no
 * communicator that may be such a duplicate has these names, and needs no search then.
 */
import type { HandleRef, Known, Unavailable } from '../../mpi/records';
import { describeRef } from '../../mpi/describe-ref';
import { once } from '../../once';
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

/** Throws FaultError, QueryError where they cannot be told. */
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
  // A duplicate belongs to one file: of two that name it, one is the remains of another.
  const files = found.filter(({ comm }) => found.filter((other) => other.comm.address === comm.address).length === 1);
  const gap = files.length < found.length ? 'several structs refer to the same communicator' : search.gap;
  const keeper = ({ file }: (typeof files)[number]) =>
    files.find((other) => other.file.sharedPointerFile === file.address)?.file.address;
  return {
    files: files.map((each) => ({ ...each, keptFor: keeper(each) })),
    ...(gap === undefined ? {} : { gap: `${noList}, and ${gap}` }),
  };
});

const noList = 'ROMIO, which is the MPI-IO of MPICH, keeps no list of open files';

/** MPI_Comm_dup gives no name, and nobody has the handle. */
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
    // Of ROMIO's keys for communicators, only that of the names has a copy function.
    const names = ofLibrary.find(({ keyval }) => keyval.copyFunction !== 0n);
    if (names !== undefined) found.set(comm.handle, { comm, names: names.value });
  }
  return found;
});

/** Why it cannot be told whether the communicator is the duplicate of a file; undefined: it can. */
export async function whyPerhapsOfFile(decoder: Decoder, comm: Comm): Promise<string | undefined> {
  if (!mayBeDuplicate(comm)) return undefined;
  const carriers = await guard(() => namesByComm(decoder));
  if (!carriers.ok) return carriers.reason;
  if (!carriers.value.has(comm.handle)) return undefined;
  const open = await guard(() => openFiles(decoder));
  return open.ok ? open.value.gap : open.reason;
}

/**
 * Whether a handle is among those that a file has of its own, such as copies of the datatypes of its view; undefined where
 * not all files are known.
 */
export async function isOfFile(
  decoder: Decoder,
  handlesOf: (file: OpenFile['file']) => number[],
  handle: bigint,
): Promise<boolean | undefined> {
  const open = await guard(() => openFiles(decoder));
  if (!open.ok) return undefined;
  if (open.value.files.some(({ file }) => handlesOf(file).includes(Number(handle)))) return true;
  return open.value.gap === undefined ? false : undefined;
}

/** The communicators that may have opened a file: those that share the names with it and belong to no file themselves. */
async function openers(decoder: Decoder, names: bigint): Promise<Comm[]> {
  const { files } = await openFiles(decoder);
  const carriers = [...(await namesByComm(decoder)).values()].filter((carrier) => carrier.names === names);
  return carriers.map(({ comm }) => comm).filter((comm) => !files.some((open) => open.comm.address === comm.address));
}

/** Which communicator opened a file: never known, but who may have. */
export async function whyNoOpener(decoder: Decoder, address: bigint): Promise<Unavailable> {
  const names = await known(async () => {
    const { files } = await openFiles(decoder);
    const open = files.find(({ file }) => file.address === address);
    if (open === undefined) return undefined;
    const comms = await openers(decoder, open.names);
    return Promise.all(comms.map(async (comm) => describeRef(await refTo(decoder, 'comm', comm.address))));
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

/** The files that a communicator opened: known where there is none. */
export async function filesOf(decoder: Decoder, comm: Comm): Promise<Known<HandleRef[]>> {
  const carrier = (await namesByComm(decoder)).get(comm.handle);
  if (carrier === undefined) return [];
  const { files, gap } = await openFiles(decoder);
  if (gap !== undefined) return unavailable('MPIDBG_ERR_NOT_SUPPORTED', gap);
  if (files.some((open) => open.comm.address === comm.address)) return [];
  const shared = files.filter(({ names, keptFor }) => names === carrier.names && keptFor === undefined);
  if (shared.length === 0) return [];
  const which = shared.map(({ file }) => hex(file.address)).join(', ');
  return unavailable(
    'MPIDBG_ERR_NOT_SUPPORTED',
    `ROMIO does not record which communicator opened a file: this one, or one that it was duplicated from or to, opened MPI_File ${which}`,
  );
}
