/** A batch job that has not started yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { StartError } from '../../job/start-error';
import { NotStartedError, stepsOf, type StepsOfJob } from './batch-steps';
import { runningJobs } from './running-jobs';

/** Milliseconds between two questions: sites look for users who ask their scheduler often. */
const interval = 5000;

export interface Awaiting {
  /** Given up when it is aborted. */
  signal?: AbortSignal | undefined;
  env?: NodeJS.ProcessEnv;
}

/** Resolves as soon as something runs in the job, or in that step of it. Rejects with StartError where nothing can run any more. */
export function stepsOnceStarted(id: string, mpis: KnownMpis, options: Awaiting = {}): Promise<StepsOfJob> {
  return onceStarted(() => stepsOf(id, mpis, options.env ?? process.env), options);
}

/** Resolves with what `begin` does, as soon as that finds something that runs; rejects as it does, but with errors that say that it is early. */
export async function onceStarted<T>(
  begin: () => Promise<T>,
  { signal, isEarly = () => false }: Awaiting & { isEarly?: (error: unknown) => boolean } = {},
): Promise<T> {
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof NotStartedError) && !isEarly(error)) throw error;
      await sleep(interval, undefined, { signal });
    }
  }
}

/** The number of the user's only job that runs, as soon as there is one. Rejects with StartError where there are several, or no batch system. */
export async function onlyJobOnceStarted(
  { batchSystems }: KnownMpis,
  { signal, env = process.env }: Awaiting = {},
): Promise<string> {
  for (;;) {
    const found = await runningJobs(batchSystems, env);
    if (found.length === 0) throw new StartError("no batch system's commands are in PATH");
    const failure = found.find((each) => each.failure !== undefined)?.failure;
    if (failure !== undefined) throw new StartError(failure);
    const [job, ...others] = found.flatMap(({ jobs }) => jobs);
    if (others.length > 0)
      throw new StartError(
        `several of your jobs run: name one of ${[job!, ...others].map(({ id, name }) => `${id} (${name})`).join(', ')}`,
      );
    if (job !== undefined) return job.id;
    await sleep(interval, undefined, { signal });
  }
}
