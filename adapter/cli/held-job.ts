/** A target's ranks, held (or their cores open) while they are asked, and let go before anything is printed. */
import { resolve } from 'node:path';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { substitutePath } from '../gdb/mi/file-commands';
import { forbidCalls } from '../gdb/mi/support-commands';
import { attach } from '../job-sources/attach';
import { findCoreFiles, folderIsClosed } from '../job-sources/cores/core-paths';
import { openCores } from '../job-sources/cores/cores';
import { ranksOfLauncher } from '../launchers/launcher-tree';
import { rankOf } from '../launchers/rank-of-environment';
import { processEnvironment } from '../hosts/process-info';
import { untilAborted } from '../job/start-error';
import type { Job } from '../job/job';
import { firstMissing, formatRankSet, rankSetHas, rankSetOf, RankSetError, type RankSet } from '../job/rank-set';
import { JobQueries } from '../query/job-queries';
import { loadPlugins } from '../query/load-plugin';
import { UsageError, type QueryOptions, type Target } from './arguments';

export interface Held<T> {
  /** What `ask` found. */
  answer: T;
  ranks: number;
  /** How long they were held, in milliseconds. */
  held: number;
  /** What the user should know of core files: one sentence each. */
  warnings: readonly string[];
}

/**
 * Asks the ranks of the target. Whatever happens, also when `signal` is aborted, every process is as it was when the
 * promise settles. Rejects with UsageError, PluginError or StartError, and with what `ask` rejects with.
 */
export async function withHeldJob<T>(
  options: QueryOptions,
  signal: AbortSignal,
  ask: (job: Job, queries: JobQueries) => Promise<T>,
): Promise<Held<T>> {
  const plugins = loadPlugins(options.plugins);
  let heldSince = 0;
  const { job, warnings } = await openTarget(options, plugins, signal, () => (heldSince = performance.now()));
  let answer: T;
  try {
    // A rank that is only looked at runs no function that an expression calls.
    await Promise.all(job.gdbs.map(forbidCalls));
    for (const gdb of job.gdbs) for (const [from, to] of options.sourceMap) await substitutePath(gdb, from, to);
    answer = await untilAborted(signal, ask(job, new JobQueries(job)));
  } finally {
    await job.release();
  }
  return { answer, ranks: job.ranks.length, held: performance.now() - heldSince, warnings };
}

async function openTarget(
  { target, ranks, gdb }: QueryOptions,
  plugins: PluginRegistry,
  signal: AbortSignal,
  beforeHold: () => void,
): Promise<{ job: Job; warnings: readonly string[] }> {
  const common = { plugins, ...(gdb === undefined ? {} : { gdb }) };
  if (!('cores' in target)) {
    const pids = await selectPids(target, ranks, plugins.known);
    return { job: await attach({ pids, signal, beforeHold, ...common }), warnings: [] };
  }
  const { files, empty, closed } = findCoreFiles(target.cores, process.cwd());
  const [nothing] = empty;
  if (nothing !== undefined && closed.length > 0) throw new UsageError(folderIsClosed(closed));
  if (nothing !== undefined) throw new UsageError(`no file is like ${nothing}`);
  try {
    return await openCores({
      cores: files,
      signal,
      searchPath: target.searchPath.map((folder) => resolve(folder)),
      ...(target.program === undefined ? {} : { program: resolve(target.program) }),
      ...(ranks === undefined ? {} : { ranks }),
      ...common,
    });
  } catch (error) {
    if (error instanceof RankSetError) throw new UsageError(`--ranks: ${error.message}`);
    throw error;
  }
}

/** Only the ranks that are asked for are attached to. */
async function selectPids(
  target: Exclude<Target, { cores: readonly string[] }>,
  ranks: RankSet | undefined,
  mpis: KnownMpis,
): Promise<number[]> {
  const pids = 'pids' in target ? target.pids : await ranksOfLauncher(target.launcher, mpis);
  if (ranks === undefined) return [...pids];
  const numbered = await Promise.all(
    pids.map(async (pid) => ({ pid, rank: rankOf(await processEnvironment(pid), mpis).number })),
  );
  const present = rankSetOf(numbered.flatMap(({ rank }) => (rank === null ? [] : [rank])));
  const missing = firstMissing(ranks, present);
  if (missing !== undefined) throw new UsageError(`--ranks: rank ${missing} is not among ${formatRankSet(present)}`);
  return numbered.filter(({ rank }) => rank !== null && rankSetHas(ranks, rank)).map(({ pid }) => pid);
}
