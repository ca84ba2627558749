/** Which rank of which job a process is, as its launcher wrote it into the environment. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { RankIdentity } from '../job/rank';

/** What the launcher told the process about its place in the job; worlds by the launcher's own names. */
export function rankOf(
  environment: ReadonlyMap<string, string>,
  mpis: KnownMpis,
): Pick<RankIdentity, 'number' | 'worldSize' | 'world'> & { parentWorld?: string } {
  const worlds = mpis.variables('world').map((name) => environment.get(name));
  const parents = mpis.environments.flatMap(({ parentWorld }) => {
    const text = parentWorld && environment.get(parentWorld.variable);
    return (text && parentWorld.pattern.exec(text)?.[1]) ?? [];
  });
  return {
    ...(parents[0] === undefined ? {} : { parentWorld: parents[0] }),
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
