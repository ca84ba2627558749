/** Which live objects refer to an error handler or a group. */
import { groupedBy } from '../../grouped-by';
import type { HandleRef } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { madeOnly } from './half-made';
import { hex, refTo, type Decoder, type PoolKind } from './handles';
import { isInternalComm } from './internal-comms';
import { liveComms, liveObjects } from './live-objects';
import { openFiles } from './open-files';
import { sessionSpec, winSpec, type commSpec, type errhandlerSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

/** The program's communicators. */
const ownComms = once(async (decoder: Decoder): Promise<Comm[]> => {
  const made = await madeOnly(decoder, 'comm', await liveComms(decoder));
  const areInternal = await Promise.all(made.map((comm) => isInternalComm(decoder, comm)));
  return made.filter((_, i) => !areInternal[i]);
});

/** The users of an object, by the object's address. */
type Users = ReadonlyMap<bigint, readonly { address: bigint }[]>;

const usersByErrhandler = onceByKey(async (decoder: Decoder, kind: 'comm' | 'win' | 'session'): Promise<Users> => {
  return groupedBy<{ address: bigint; errhandler: bigint }, bigint>(
    kind === 'comm' ? await ownComms(decoder) : await readAll(decoder, kind),
    ({ errhandler }) => errhandler,
  );
});

async function readAll(decoder: Decoder, kind: 'win' | 'session') {
  const { reader } = decoder.objects;
  const objects = await liveObjects(decoder, kind);
  return Promise.all(objects.map(({ address }) => reader.read(kind === 'win' ? winSpec : sessionSpec, address)));
}

const commsByGroup = once(async (decoder: Decoder): Promise<Users> => {
  const groups = ({ localGroup, remoteGroup }: Comm) => new Set([localGroup, remoteGroup]);
  const held = (await ownComms(decoder)).flatMap((comm) => [...groups(comm)].map((group) => ({ ...comm, group })));
  return groupedBy(held, ({ group }) => group);
});

function refs(decoder: Decoder, kind: PoolKind, users: Users, object: bigint): Promise<HandleRef[]> {
  return Promise.all((users.get(object) ?? []).map(({ address }) => refTo(decoder, kind, address)));
}

/** MPICH's number of the class of files, in error handlers. */
const fileNumber = 4;
const predefinedKind = 1;

/** The users of this error handler. Throws QueryError if not all possible users can be listed. */
export async function usersOfErrhandler(
  decoder: Decoder,
  { address, handle, kind }: StructValues<typeof errhandlerSpec>,
): Promise<HandleRef[]> {
  const isPredefined = handle >>> 30 === predefinedKind;
  if (isPredefined)
    throw new QueryError(
      'MPIDBG_ERR_NOT_SUPPORTED',
      'objects that were never given one have a predefined error handler, and MPICH does not record which',
    );
  if (kind === fileNumber) return filesWith(decoder, handle);
  const users = (['comm', 'win', 'session'] as const).map(async (each) =>
    refs(decoder, each, await usersByErrhandler(decoder, each), address),
  );
  return (await Promise.all(users)).flat();
}

/** Throws QueryError if not all files are known. */
async function filesWith(decoder: Decoder, errhandler: number): Promise<HandleRef[]> {
  const { gap } = await openFiles(decoder);
  if (gap !== undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', gap);
  const having = (await filesByErrhandler(decoder)).get(errhandler) ?? [];
  return having.map(({ file }) => ({ kind: 'file', handle: hex(file.address) }));
}

const filesByErrhandler = once(async (decoder: Decoder) =>
  groupedBy((await openFiles(decoder)).files, ({ file }) => file.errhandler),
);

/**
 * Whether only communicators have this group: the program has no handle of it, or has freed it. While a window's
 * epoch has it too, it looks like one that the program has.
 */
export async function isInternalGroup(decoder: Decoder, group: bigint, references: number): Promise<boolean> {
  return references <= ((await groupHolds(decoder)).get(group)?.length ?? 0);
}

/** The references to groups that communicators have, by group. */
const groupHolds = once(async (decoder: Decoder) => {
  const held = (await liveComms(decoder)).flatMap(({ localGroup, remoteGroup }) => [localGroup, remoteGroup]);
  return groupedBy(held, (group) => group);
});

/** The communicators that have this group. */
export async function usersOfGroup(decoder: Decoder, group: bigint): Promise<HandleRef[]> {
  return refs(decoder, 'comm', await commsByGroup(decoder), group);
}
