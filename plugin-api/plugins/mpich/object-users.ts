/** Which live objects refer to an error handler or a group. */
import type { HandleRef } from '../../mpi/records';
import { QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { madeOnly } from './half-made';
import { hex, refTo, type Decoder, type PoolKind } from './handles';
import { isInternalComm } from './internal-comms';
import { liveComms, liveObjects } from './live-objects';
import { openFiles } from './open-files';
import { sessionSpec, winSpec, type commSpec, type errhandlerSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

/** The program's communicators that have a property, as references. */
async function commsWith(decoder: Decoder, has: (comm: Comm) => boolean): Promise<HandleRef[]> {
  const refs: HandleRef[] = [];
  for (const comm of await madeOnly(decoder, 'comm', await liveComms(decoder)))
    if (has(comm) && !(await isInternalComm(decoder, comm))) refs.push(await refTo(decoder, 'comm', comm.address));
  return refs;
}

/** MPICH's number of the class of files, in error handlers. */
const fileNumber = 4;
const predefinedKind = 1;

/** What has this error handler. Throws QueryError where not all that could have it can be listed. */
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
  return [
    ...(await commsWith(decoder, ({ errhandler }) => errhandler === address)),
    ...(await usersOf(decoder, 'win', winSpec, ({ errhandler }) => errhandler === address)),
    ...(await usersOf(decoder, 'session', sessionSpec, ({ errhandler }) => errhandler === address)),
  ];
}

/** Throws QueryError where not all files are known. */
async function filesWith(decoder: Decoder, errhandler: number): Promise<HandleRef[]> {
  const { files, gap } = await openFiles(decoder);
  if (gap !== undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', gap);
  const having = files.filter(({ file }) => file.errhandler === errhandler);
  return having.map(({ file }) => ({ kind: 'file', handle: hex(file.address) }));
}

/**
 * Whether only communicators have this group: the program has no handle of it, or has freed it. While a window's epoch
 * has it too, it is not told from one that the program has.
 */
export async function isInternalGroup(decoder: Decoder, group: bigint, references: number): Promise<boolean> {
  const held = (await liveComms(decoder)).flatMap(({ localGroup, remoteGroup }) => [localGroup, remoteGroup]);
  return references <= held.filter((each) => each === group).length;
}

/** The communicators that have this group. */
export function usersOfGroup(decoder: Decoder, group: bigint): Promise<HandleRef[]> {
  return commsWith(decoder, ({ localGroup, remoteGroup }) => localGroup === group || remoteGroup === group);
}

async function usersOf<S extends typeof winSpec | typeof sessionSpec>(
  decoder: Decoder,
  kind: PoolKind,
  spec: S,
  uses: (object: StructValues<S>) => boolean,
): Promise<HandleRef[]> {
  const users: HandleRef[] = [];
  for (const { address } of await liveObjects(decoder, kind))
    if (uses(await decoder.objects.reader.read(spec, address))) users.push(await refTo(decoder, kind, address));
  return users;
}
