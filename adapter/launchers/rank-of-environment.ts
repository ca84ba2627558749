/** Which rank of which job a process is, as its launcher wrote it into the environment. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { RankIdentity } from '../job/rank';

/** What the launcher told the process about its place in the job. */
export function rankOf(
  environment: ReadonlyMap<string, string>,
  mpis: KnownMpis,
): Pick<RankIdentity, 'number' | 'worldSize' | 'world'> {
  const worlds = mpis.variables('world').map((name) => environment.get(name));
  return {
    world: worlds.find((world) => world !== undefined),
    number: firstNumber(environment, mpis.variables('rank')) ?? null,
    worldSize: firstNumber(environment, mpis.variables('size')),
  };
}

function firstNumber(environment: ReadonlyMap<string, string>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = environment.get(name);
    if (value !== undefined && /^\d+$/.test(value)) return Number(value);
  }
  return undefined;
}
