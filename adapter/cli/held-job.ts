/** Holds a target's ranks (or opens their cores) while they are asked, and releases them before anything is printed. */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { noticeText, type Notice } from '../job/advice';
import type { Job } from '../job/job';
import { RankSetError } from '../../plugin-api/answers/rank-set';
import { untilAborted } from '../job/start-error';
import type { Reach } from '../job-sources/job-finder';
import { openJob, type OpenedJob } from '../job-sources/open-job';
import { JobQueries } from '../query/job-queries';
import { loadPlugins } from '../query/load-plugin';
import { adviceText } from './advice';
import type { QueryOptions } from './arguments/command';
import { UsageError } from './arguments/usage-error';

export type HeldOptions = Pick<QueryOptions, 'target' | 'ranks' | 'gdb' | 'plugins' | 'libraryCode' | 'sourceMap'> &
  Partial<Pick<QueryOptions, 'world'>> & {
    /** See OpenOptions. */
    reach?: Reach | undefined;
  };

export interface Held<T> {
  /** What `ask` found. */
  answer: T;
  ranks: number;
  /** How long they were held, in milliseconds. */
  held: number;
  /** What the user should know about the core files: one sentence each. */
  warnings: readonly string[];
  /** Those of them that concern more than lines and variables. */
  beyondLines: readonly string[];
}

/**
 * Asks the ranks of the target. Whatever happens, also when `signal` is aborted, every process is as it was when the
 * promise settles. Rejects with UsageError, PluginError or StartError, and with what `ask` rejects with.
 */
export async function withHeldJob<T>(
  options: HeldOptions,
  signal: AbortSignal,
  ask: (job: Job, queries: JobQueries) => Promise<T>,
): Promise<Held<T>> {
  const plugins = loadPlugins(options.plugins, options.libraryCode);
  let heldSince = 0;
  const { job, warnings } = await openTarget(options, plugins, signal, () => (heldSince = performance.now()));
  const textsOf = (notices: readonly Notice[]): string[] => notices.map((notice) => noticeText(notice, adviceText));
  const beyondLines = textsOf(warnings.filter(({ advice }) => advice?.kind !== 'debugInformation'));
  let answer: T;
  try {
    answer = await untilAborted(signal, ask(job, new JobQueries(job, adviceText, undefined, options.gdb)));
  } finally {
    await job.release();
  }
  const held = performance.now() - heldSince;
  return { answer, ranks: job.ranks.length, held, warnings: textsOf(warnings), beyondLines };
}

/** Rejects as openJob does, but with UsageError for ranks that are not there. */
async function openTarget(
  { target, ranks, world, gdb, sourceMap, reach }: HeldOptions,
  plugins: PluginRegistry,
  signal: AbortSignal,
  beforeHold: () => void,
): Promise<OpenedJob> {
  try {
    return await openJob(target, { plugins, gdb, ranks, world, sourceMap, signal, beforeHold, isForLook: true, reach });
  } catch (error) {
    if (error instanceof RankSetError) throw new UsageError(`--${error.subject}: ${error.message}`);
    throw error;
  }
}
