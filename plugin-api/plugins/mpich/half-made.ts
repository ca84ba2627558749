/** Objects that a call has allocated but not yet filled, of kinds whose calls wait for other ranks in between. */
import { groupedBy } from '../../grouped-by';
import { once } from '../../once';
import { BeingMadeError, QueryError, doubtOf, guard } from '../../result';
import type { StructValues } from '../../struct';
import { hex, type Decoder } from './handles';
import { commsOfIdup } from './schedules';
import { commSpec, winSpec } from './specs';

type Comm = StructValues<typeof commSpec>;
type Win = Pick<StructValues<typeof winSpec>, 'flavor' | 'comm'>;

/** In the two highest bits of a handle: MPI_COMM_WORLD and MPI_COMM_SELF. */
const builtin = 1;
const worldContext = 0;

/**
 * MPI_Comm_idup hands out the communicator before its members have agreed on a context. Meanwhile an intracommunicator has
 * that of MPI_COMM_WORLD; what an intercommunicator has looks like its own: the schedule of the pending operation tells.
 * Throws QueryError with ERR_UNAVAILABLE where one was not found that may be making this communicator.
 */
export async function checkCommMade(decoder: Decoder, comm: Comm): Promise<void> {
  if (comm.handle >>> 30 === builtin) return;
  if (comm.contextId === worldContext) throw new BeingMadeError('MPI_Comm_idup', 'overwritten');
  const { comms, unfound } = await commsOfIdup(decoder);
  if (comms.has(comm.address)) throw new BeingMadeError('MPI_Comm_idup');
  // Only the handle refers to what it makes.
  if (unfound.length === 0 || comm.references !== 1) return;
  const maker = (await unfoundByParent(decoder)).get(copied(comm))?.find(({ parent }) => parent !== comm.address);
  if (maker !== undefined)
    throw new QueryError(
      'MPIDBG_ERR_UNAVAILABLE',
      `the steps of the pending request ${hex(BigInt(maker.handle))} were not found: it may be MPI_Comm_idup and still make this`,
    );
}

/** What MPI_Comm_idup copies first. */
function copied({ kind, rank, localSize, remoteSize }: Comm): string {
  return [kind, rank, localSize, remoteSize].join();
}

/** The pending operations that may be MPI_Comm_idup, by what they copy. */
const unfoundByParent = once(async (decoder: Decoder) => {
  const { unfound } = await commsOfIdup(decoder);
  const { reader } = decoder.objects;
  const made = unfound.map(async ({ comm: parent, handle }) => {
    return { handle, parent, copied: copied(await reader.read(commSpec, parent)) };
  });
  return groupedBy(await Promise.all(made), (each) => each.copied);
});

/**
 * MPI_Win_create and the like allocate the object first, and wait for all members before they fill it. Meanwhile it
 * holds nothing, or what it held when it was last used: a communicator that was freed.
 */
export async function checkWinMade({ objects }: Decoder, { flavor, comm }: Win): Promise<void> {
  const isFilled = flavor !== 0 && comm !== 0n && (await objects.reader.read(commSpec, comm)).references > 0;
  if (!isFilled) throw new BeingMadeError('a call that makes windows', 'overwritten');
}

/** The kinds whose objects may be half made. */
type SlowKind = 'comm' | 'win';

export function isMadeSlowly(kind: string): kind is SlowKind {
  return kind === 'comm' || kind === 'win';
}

/** All except those known to be half made. */
export async function madeOnly<Taken extends { address: bigint }>(
  decoder: Decoder,
  kind: string,
  objects: readonly Taken[],
): Promise<Taken[]> {
  if (!isMadeSlowly(kind)) return [...objects];
  const results = await Promise.all(objects.map(({ address }) => guard(() => checkMade(decoder, kind, address))));
  return objects.filter((_, i) => results[i]!.ok || results[i]!.code !== 'MPIDBG_ERR_NOT_FOUND');
}

/** Those among them that madeOnly() leaves out though they may have been overwritten, with the reason. */
export async function leftOutInDoubt(
  decoder: Decoder,
  kind: SlowKind,
  objects: readonly { address: bigint; handle: bigint }[],
): Promise<string[]> {
  const doubts = objects.map(async ({ address, handle }) => {
    const doubt = await doubtOf(() => checkMade(decoder, kind, address));
    return doubt === undefined ? [] : [`${hex(handle)} is ${doubt}`];
  });
  return (await Promise.all(doubts)).flat();
}

async function checkMade(decoder: Decoder, kind: SlowKind, address: bigint): Promise<void> {
  const { reader } = decoder.objects;
  if (kind === 'comm') await checkCommMade(decoder, await reader.read(commSpec, address));
  else await checkWinMade(decoder, await reader.read(winSpec, address));
}
