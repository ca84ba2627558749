/** Objects that a call has taken and not filled yet, of the kinds whose calls wait for other ranks in between. */
import { BeingMadeError, guard } from '../../result';
import type { StructValues } from '../../struct';
import type { Objects } from './containers';
import { commSpec, winSpec } from './specs';

type Comm = Pick<StructValues<typeof commSpec>, 'handle' | 'contextId'>;
type Win = Pick<StructValues<typeof winSpec>, 'flavor' | 'comm'>;

/** In the two highest bits of a handle: MPI_COMM_WORLD and MPI_COMM_SELF. */
const builtin = 1;
const worldContext = 0;

/**
 * MPI_Comm_idup hands out the communicator before its members have agreed on a context. In memory that is used for the
 * first time there is 0 then, which is MPI_COMM_WORLD's; what was there before looks like a context.
 */
export function checkCommMade({ handle, contextId }: Comm): void {
  if (handle >>> 30 !== builtin && contextId === worldContext) throw new BeingMadeError('MPI_Comm_idup');
}

/**
 * MPI_Win_create and its like take the object first, and wait for all members before they fill it. Meanwhile it holds
 * nothing, or what it held when it was last used: a communicator that was freed.
 */
export async function checkWinMade({ reader }: Pick<Objects, 'reader'>, { flavor, comm }: Win): Promise<void> {
  const isFilled = flavor !== 0 && comm !== 0n && (await reader.read(commSpec, comm)).references > 0;
  if (!isFilled) throw new BeingMadeError('a call that makes windows');
}

/** Those that are not known to be half made. */
export async function madeOnly<Taken extends { address: bigint }>(
  { reader }: Pick<Objects, 'reader'>,
  kind: string,
  objects: readonly Taken[],
): Promise<Taken[]> {
  if (kind !== 'comm' && kind !== 'win') return [...objects];
  const results = await Promise.all(
    objects.map(({ address }) =>
      guard(async () =>
        kind === 'comm'
          ? checkCommMade(await reader.read(commSpec, address))
          : checkWinMade({ reader }, await reader.read(winSpec, address)),
      ),
    ),
  );
  return objects.filter((_, i) => results[i]!.ok || results[i]!.code !== 'MPIDBG_ERR_NOT_FOUND');
}
