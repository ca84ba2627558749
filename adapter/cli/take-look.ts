/** One look at a job, for a verdict: without a debugger where that is possible, else by gdb. */
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { canHold } from '../agent/holder';
import { RankSetError } from '../job/rank-set';
import { StartError } from '../job/start-error';
import { processesHere } from '../job-sources/open-job';
import { lookWithoutGdb } from '../query/hang/held-look';
import { lookAt } from '../query/hang/look';
import { loadPlugins } from '../query/load-plugin';
import { withHeldJob, type Held, type HeldOptions } from './held-job';

/** Rejects as withHeldJob does. */
export async function takeLook(options: HeldOptions, signal: AbortSignal): Promise<Held<ProcessState[]>> {
  const here = await lookHere(options, signal);
  return here ?? withHeldJob(options, signal, ({ ranks, plugins }, queries) => lookAt(queries, ranks, plugins.known));
}

/** undefined: gdb has to look, which also finds the words for what is wrong. */
async function lookHere(
  { target, ranks, gdb = 'gdb', plugins: paths, sourceMap }: HeldOptions,
  signal: AbortSignal,
): Promise<Held<ProcessState[]> | undefined> {
  if (!canHold || target.kind === 'cores' || (sourceMap ?? []).length > 0) return undefined;
  const plugins = loadPlugins(paths);
  try {
    const pids = await processesHere(target, { plugins, ranks });
    const seen = pids && (await lookWithoutGdb(pids, plugins, gdb, signal));
    return seen && { answer: seen.look, ranks: seen.look.length, held: seen.held, warnings: [], beyondLines: [] };
  } catch (error) {
    if (error instanceof StartError || error instanceof RankSetError) return undefined;
    throw error;
  }
}
