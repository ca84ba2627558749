/** Which threads are not the program's own, in every rank. */
import { GdbLostError } from '../gdb/mi/mi-connection';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { Rank } from '../job/rank';
import { learnRoles } from '../job/thread-role';

/** The queries report what a lost gdb means for its ranks. */
export async function learnAllRoles(ranks: readonly Rank[], mpis: KnownMpis): Promise<void> {
  await Promise.all(
    ranks.map(async (rank) => {
      try {
        await learnRoles(rank, mpis);
      } catch (error) {
        if (!(error instanceof GdbLostError)) throw error;
      }
    }),
  );
}
