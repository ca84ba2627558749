/** The ranks of a session with several worlds. */
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import type { DebugRun } from './debug-run';

export type RankOfWorld = RanksBody['ranks'][number];

/** "0.1 3" */
export const nameOf = ({ rank, world }: Pick<RankOfWorld, 'rank' | 'world'>): string => `${world} ${rank}`;

export async function ranksOf(run: DebugRun): Promise<RankOfWorld[]> {
  return (await run.client.request<RanksBody>('mpidbg/ranks')).ranks;
}

/** Resolves when these have stopped: they stop one after the other. */
export async function stopped(run: DebugRun, names: readonly string[]): Promise<RankOfWorld[]> {
  for (;;) {
    const ranks = (await ranksOf(run)).filter(({ state }) => state === 'stopped');
    if (names.every((name) => ranks.some((rank) => nameOf(rank) === name))) return ranks;
    await run.nextStop();
  }
}
