/** The live objects of each kind, and which of them use a given one. Each list is made once per process and stop. */
import { readPointer } from '../../memory';
import type { HandleKind, HandleRef } from '../../mpi/records';
import { guard, QueryError } from '../../result';
import type { StructSpec, StructValues } from '../../struct';
import type { PredefinedKind } from './constants';
import { checkHandle, type Decoder, handleRef, tableItems } from './handles';
import { madeOnly } from './half-made';
import { liveMessages, liveRequests } from './live-requests';
import { once } from '../../once';
import { commSpec, fileSpec, objectSpec, ompioFileSpec, sessionSpec, winSpec } from './specs';
import { allNodes, readConstruction } from './type-construction';

/** In the order of the library's table; where there is none of the kind, of its lists. */
export async function liveHandles(decoder: Decoder, kind: HandleKind): Promise<bigint[]> {
  if (kind === 'status')
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'statuses belong to the program: MPI has no list');
  if (kind === 'datatype') return liveDatatypes(decoder);
  return madeOnly(decoder, kind, await takenHandles(decoder, kind));
}

/** Those with which a call is not through yet, too. */
async function takenHandles(decoder: Decoder, kind: Exclude<PredefinedKind, 'datatype'>): Promise<bigint[]> {
  if (kind === 'message') return liveMessages(decoder);
  if (kind !== 'request') return tableItems(decoder, kind);
  return (await liveRequests(decoder)).requests.map(({ handle }) => handle);
}

/** Why liveHandles() may lack some objects of the kind. */
export async function unlistedHandles(decoder: Decoder, kind: HandleKind): Promise<readonly string[]> {
  if (kind === 'request') return [...(await liveRequests(decoder)).gaps, ...(await requestsInNoList(decoder))];
  if (kind === 'datatype')
    return [
      'Open MPI keeps no list of datatypes; here are the predefined ones, those of requests, files and other datatypes, and those that Fortran has',
    ];
  return [];
}

/** Their memory is of malloc: nothing but variables of the program leads to them. */
async function requestsInNoList(decoder: Decoder): Promise<string[]> {
  const ofWindows = (await tableItems(decoder, 'win')).length > 1 ? 'those of MPI_Rput and its sisters, ' : '';
  return [`Open MPI keeps no list of ${ofWindows}generalized requests and persistent ones with MPI_PROC_NULL`];
}

/** What is no live object any more is passed over; what is still being made is there. */
async function liveObjects<S extends StructSpec>(
  decoder: Decoder,
  kind: PredefinedKind,
  spec: S,
): Promise<StructValues<S>[]> {
  const objects = (await tableItems(decoder, kind)).map((handle) =>
    guard(async () => {
      await checkHandle(decoder, kind, handle);
      return decoder.reader.read(spec, handle);
    }),
  );
  return (await Promise.all(objects)).flatMap((object) => (object.ok ? [object.value] : []));
}

export const liveComms = once((decoder: Decoder) => liveObjects(decoder, 'comm', commSpec));
/**
 * The table has the predefined datatypes and those whose Fortran handle was asked for. Others are found where they are
 * used: in requests, in the views of files, and in other datatypes. One that is nowhere used yet is in no list: its memory
 * is of malloc, its class counts no objects, and nothing but variables of the program points to it (measured with Open MPI
 * 4.1.4: all writable memory of a process searched for the address).
 */
const liveDatatypes = once(async (decoder: Decoder): Promise<bigint[]> => {
  const found = new Set(await tableItems(decoder, 'datatype'));
  const { requests } = await liveRequests(decoder);
  const used = [...requests.map((request) => request.datatype), ...(await viewTypes(decoder))];
  for (const type of [...found, ...used.filter((address) => address !== 0n)]) {
    const construction = await guard(() => readConstruction(decoder, type));
    if (construction.ok) for (const { address } of allNodes(construction.value)) found.add(address);
  }
  return [...found];
});

async function viewTypes(decoder: Decoder): Promise<bigint[]> {
  const files = await guard(() => liveFiles(decoder));
  if (!files.ok) return [];
  const views = await Promise.all(files.value.map(({ data }) => guard(() => decoder.reader.read(ompioFileSpec, data))));
  return views.flatMap((view) => (view.ok ? [view.value.etype, view.value.filetype] : []));
}

export const liveFiles = once((decoder: Decoder) => liveObjects(decoder, 'file', fileSpec));
export const liveWins = once((decoder: Decoder) => liveObjects(decoder, 'win', winSpec));

/** Sessions came with 5.0.0. */
const liveSessions = once(async (decoder: Decoder) => {
  const hasSessions = await guard(() => decoder.reader.sizeOf(sessionSpec));
  return hasSessions.ok ? liveObjects(decoder, 'session', sessionSpec) : [];
});

/** Where this error handler is in force. MPI_FILE_NULL has the one that new files get; other null handles mean nothing. */
export async function errhandlerUsers(decoder: Decoder, errhandler: bigint): Promise<HandleRef[]> {
  const uses = (object: { errhandler: bigint }) => object.errhandler === errhandler;
  const [commNull, winNull] = await Promise.all([
    decoder.constants.required('comm', 'MPI_COMM_NULL'),
    decoder.constants.required('win', 'MPI_WIN_NULL'),
  ]);
  return refs(decoder, {
    comm: (await liveComms(decoder)).filter((comm) => uses(comm) && comm.address !== commNull),
    file: (await liveFiles(decoder)).filter(uses),
    win: (await liveWins(decoder)).filter((win) => uses(win) && win.address !== winNull),
    session: (await liveSessions(decoder)).filter(uses),
  });
}

/** The communicators and windows whose group this very object is. */
export async function groupUsers(decoder: Decoder, group: bigint): Promise<HandleRef[]> {
  const comms = await liveComms(decoder);
  return refs(decoder, {
    comm: comms.filter(({ localGroup, remoteGroup }) => localGroup === group || remoteGroup === group),
    win: (await liveWins(decoder)).filter((win) => win.group === group),
  });
}

/**
 * Whether only communicators, windows or the library itself have this group: the program has no handle of it, or has freed
 * it. undefined: something else has it too, which is the program, the epoch of a window, or a call that is making a window.
 */
export async function isInternalGroup(decoder: Decoder, group: bigint): Promise<boolean | undefined> {
  const { referenceCount } = await decoder.reader.read(objectSpec, group);
  const comms = await liveComms(decoder);
  const held = [
    ...comms.flatMap((comm) => [comm.localGroup, comm.remoteGroup]),
    ...(await liveWins(decoder)).map((win) => win.group),
  ].filter((each) => each === group).length;
  if (referenceCount <= held) return true;
  if (held > 0) return undefined;
  return referenceCount === 1 && group === (await failedProcesses(decoder));
}

/** The group to which processes that died are added; 5.0.0 and later have it, unless built without fault tolerance. */
const failedProcesses = once(async ({ image }: Decoder): Promise<bigint | undefined> => {
  const symbol = await image.findSymbol('ompi_group_all_failed_procs');
  return symbol && readPointer(image, symbol.address);
});

/** The objects that keep this info; those that a program makes are copied when they are used. */
export async function infoUsers(decoder: Decoder, info: bigint): Promise<HandleRef[]> {
  const uses = (object: { info: bigint }) => object.info === info;
  return refs(decoder, {
    comm: (await liveComms(decoder)).filter(uses),
    file: (await liveFiles(decoder)).filter(uses),
    win: (await liveWins(decoder)).filter(uses),
  });
}

export async function refs(
  decoder: Decoder,
  users: Partial<Record<PredefinedKind, readonly { address: bigint }[]>>,
): Promise<HandleRef[]> {
  const kinds = Object.entries(users) as [PredefinedKind, readonly { address: bigint }[]][];
  const found = kinds.map(async ([kind, objects]) => {
    const addresses = objects.map(({ address }) => address);
    return Promise.all((await madeOnly(decoder, kind, addresses)).map((address) => handleRef(decoder, kind, address)));
  });
  return (await Promise.all(found)).flat();
}
