/** Which rank of which job a process is, as its launcher wrote it into the environment. */
import type { RankIdentity } from '../job/rank';

const rankVariables = ['OMPI_COMM_WORLD_RANK', 'PMIX_RANK', 'PMI_RANK', 'SLURM_PROCID'];
const sizeVariables = ['OMPI_COMM_WORLD_SIZE', 'PMI_SIZE', 'SLURM_NTASKS'];

const worldVariables = ['PMIX_NAMESPACE', 'PMI_JOBID'];

/** What the launcher told the process about its place in the job. */
export function rankOf(environment: ReadonlyMap<string, string>): Pick<RankIdentity, 'number' | 'worldSize' | 'world'> {
  return {
    world: worldVariables.map((name) => environment.get(name)).find((world) => world !== undefined),
    number: firstNumber(environment, rankVariables) ?? null,
    worldSize: firstNumber(environment, sizeVariables),
  };
}

function firstNumber(environment: ReadonlyMap<string, string>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = environment.get(name);
    if (value !== undefined && /^\d+$/.test(value)) return Number(value);
  }
  return undefined;
}
