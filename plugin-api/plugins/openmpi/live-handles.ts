/** The live objects of each kind, and which of them use a given one. Each list is made once per process and stop. */
import { groupedBy } from '../../grouped-by';
import { readPointer } from '../../memory';
import type { HandleKind, HandleRef } from '../../mpi/records';
import { guard, QueryError } from '../../result';
import type { StructSpec, StructValues } from '../../struct';
import type { PredefinedKind } from './constants';
import { checkHandle, type Decoder, handleRef, tableItems } from './handles';
import { leftOutInDoubt, madeOnly } from './half-made';
import { liveMessages, liveRequests } from './live-requests';
import { once } from '../../once';
import { commSpec, fileSpec, objectSpec, ompioFileSpec, sessionSpec, winSpec } from './specs';
import { allNodes, readConstruction } from './type-construction';

/** In the order of the library's table; where there is none of the kind, of its lists. */
export async function liveHandles(decoder: Decoder, kind: HandleKind): Promise<bigint[]> {
  if (kind === 'status')
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'statuses belong to the program: MPI keeps no list of them');
  if (kind === 'datatype') return liveDatatypes(decoder);
  return madeOnly(decoder, kind, await takenHandles(decoder, kind));
}

/** Including those that a call has not finished yet. */
async function takenHandles(decoder: Decoder, kind: Exclude<PredefinedKind, 'datatype'>): Promise<bigint[]> {
  if (kind === 'message') return liveMessages(decoder);
  if (kind !== 'request') return tableItems(decoder, kind);
  return (await liveRequests(decoder)).requests.map(({ handle }) => handle);
}

/** Why liveHandles() may lack some objects of the kind. */
export async function unlistedHandles(decoder: Decoder, kind: HandleKind): Promise<readonly string[]> {
  if (kind === 'request') return [...(await liveRequests(decoder)).gaps, ...(await requestsInNoList(decoder))];
  if (kind === 'datatype') return ['Open MPI lists only those that requests, files, other datatypes or Fortran use'];
  if (kind === 'status') return [];
  return leftOutInDoubt(decoder, kind, await takenHandles(decoder, kind));
}

/** Their memory comes from malloc: only variables of the program lead to them. */
async function requestsInNoList(decoder: Decoder): Promise<string[]> {
  const ofWindows = (await tableItems(decoder, 'win')).length > 1 ? 'requests of MPI_Rput and the like, ' : '';
  return [`Open MPI lists no ${ofWindows}generalized requests, and no persistent ones with MPI_PROC_NULL`];
}

/** Skips what is no longer a live object; what is still being made is included. */
async function liveObjects<S extends StructSpec>(
  decoder: Decoder,
  kind: PredefinedKind,
  spec: S,
): Promise<StructValues<S>[]> {
  const found: StructValues<S>[] = [];
  for (const handle of await tableItems(decoder, kind)) {
    const object = await guard(async () => {
      await checkHandle(decoder, kind, handle);
      return decoder.reader.read(spec, handle);
    });
    if (object.ok) found.push(object.value);
  }
  return found;
}

export const liveComms = once((decoder: Decoder) => liveObjects(decoder, 'comm', commSpec));
/**
 * The table has the predefined datatypes and those whose Fortran handle was asked for. Others are found where they
 * are used: in requests, in the views of files, and in other datatypes. One that is not used anywhere yet is in no
 * list: its memory comes from malloc, its class counts no objects, and only variables of the program point to it
 * (measured with Open MPI 4.1.4: all writable memory of a process searched for the address).
 */
const liveDatatypes = once(async (decoder: Decoder): Promise<bigint[]> => {
  const found = new Set(await tableItems(decoder, 'datatype'));
  const { requests } = await liveRequests(decoder);
  const used = [...requests.map((request) => request.datatype), ...(await viewTypes(decoder))];
  for (const type of new Set([...found, ...used.filter((address) => address !== 0n)])) {
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

/** The users of an object, by the object's address. */
type Users = Partial<Record<PredefinedKind, ReadonlyMap<bigint, readonly { address: bigint }[]>>>;

const errhandlerOf = ({ errhandler }: { errhandler: bigint }) => errhandler;

const usersByErrhandler = once(async (decoder: Decoder): Promise<Users> => {
  const [commNull, winNull] = await Promise.all([
    decoder.constants.required('comm', 'MPI_COMM_NULL'),
    decoder.constants.required('win', 'MPI_WIN_NULL'),
  ]);
  const comms = (await liveComms(decoder)).filter(({ address }) => address !== commNull);
  const wins = (await liveWins(decoder)).filter(({ address }) => address !== winNull);
  return {
    comm: groupedBy(comms, errhandlerOf),
    file: groupedBy(await liveFiles(decoder), errhandlerOf),
    win: groupedBy(wins, errhandlerOf),
    session: groupedBy(await liveSessions(decoder), errhandlerOf),
  };
});

/** Where this error handler is in force. MPI_FILE_NULL has the one that new files get; other null handles mean nothing. */
export async function errhandlerUsers(decoder: Decoder, errhandler: bigint): Promise<HandleRef[]> {
  return usersOf(decoder, await usersByErrhandler(decoder), errhandler);
}

/** A communicator's groups, each once. */
function groupsOf({ localGroup, remoteGroup }: { localGroup: bigint; remoteGroup: bigint }): bigint[] {
  return localGroup === remoteGroup ? [localGroup] : [localGroup, remoteGroup];
}

const usersByGroup = once(async (decoder: Decoder): Promise<Users> => {
  const ofComms = (await liveComms(decoder)).flatMap((comm) => groupsOf(comm).map((group) => ({ group, comm })));
  const comms = [...groupedBy(ofComms, ({ group }) => group)];
  return {
    comm: new Map(comms.map(([group, users]) => [group, users.map(({ comm }) => comm)])),
    win: groupedBy(await liveWins(decoder), ({ group }) => group),
  };
});

/** The communicators and windows whose group this very object is. */
export async function groupUsers(decoder: Decoder, group: bigint): Promise<HandleRef[]> {
  return usersOf(decoder, await usersByGroup(decoder), group);
}

/**
 * Whether only communicators, windows or the library itself have this group: the program has no handle of it, or has
 * freed it. undefined: something else has it too: the program, the epoch of a window, or a call that is making a
 * window.
 */
export async function isInternalGroup(decoder: Decoder, group: bigint): Promise<boolean | undefined> {
  const { referenceCount } = await decoder.reader.read(objectSpec, group);
  const held = (await groupHolds(decoder)).get(group)?.length ?? 0;
  if (referenceCount <= held) return true;
  if (held > 0) return undefined;
  return referenceCount === 1 && group === (await failedProcesses(decoder));
}

/** The references to groups that communicators and windows have, by group. */
const groupHolds = once(async (decoder: Decoder) => {
  const comms = await liveComms(decoder);
  const wins = await liveWins(decoder);
  const held = [...comms.flatMap((comm) => [comm.localGroup, comm.remoteGroup]), ...wins.map((win) => win.group)];
  return groupedBy(held, (group) => group);
});

/** The group to which processes that died are added; 5.0.0 and later have it, unless built without fault tolerance. */
const failedProcesses = once(async ({ image }: Decoder): Promise<bigint | undefined> => {
  const symbol = await image.findSymbol('ompi_group_all_failed_procs');
  return symbol && readPointer(image, symbol.address);
});

const usersByInfo = once(async (decoder: Decoder): Promise<Users> => {
  const infoOf = ({ info }: { info: bigint }) => info;
  return {
    comm: groupedBy(await liveComms(decoder), infoOf),
    file: groupedBy(await liveFiles(decoder), infoOf),
    win: groupedBy(await liveWins(decoder), infoOf),
  };
});

/** The objects that keep this info; those that a program makes are copied when they are used. */
export async function infoUsers(decoder: Decoder, info: bigint): Promise<HandleRef[]> {
  return usersOf(decoder, await usersByInfo(decoder), info);
}

function usersOf(decoder: Decoder, users: Users, object: bigint): Promise<HandleRef[]> {
  const found = Object.entries(users).map(([kind, byObject]) => [kind, byObject.get(object) ?? []]);
  return refs(decoder, Object.fromEntries(found) as Parameters<typeof refs>[1]);
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
