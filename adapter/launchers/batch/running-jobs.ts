/** The user's jobs that run under the batch systems of this machine. */
import type { BatchJob, BatchSystem } from '../../../plugin-api/batch/batch-system';
import { ask, isHere, MissingCommandError } from './batch-commands';

export interface RunningJobs {
  readonly system: BatchSystem;
  readonly jobs: readonly BatchJob[];
  /** Why it lists none: a sentence for the user. */
  readonly failure?: string;
}

/** One for each system whose commands are here. Never rejects. */
export async function runningJobs(systems: readonly BatchSystem[], env: NodeJS.ProcessEnv): Promise<RunningJobs[]> {
  const found = await Promise.all(systems.map((system) => jobsOf(system, env)));
  return found.filter((each) => each !== undefined);
}

async function jobsOf(system: BatchSystem, env: NodeJS.ProcessEnv): Promise<RunningJobs | undefined> {
  if (!isHere(system, env)) return undefined;
  try {
    return { system, jobs: system.parseJobs(await ask(system, system.listJobs, env), env.USER ?? env.LOGNAME) };
  } catch (error) {
    if (error instanceof MissingCommandError) return undefined;
    return { system, jobs: [], failure: error instanceof Error ? error.message : String(error) };
  }
}
