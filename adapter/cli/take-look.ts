/** Looks at a job, for a verdict: without a debugger where that is possible, else by gdb. */
import type { ProcessState } from '../../plugin-api/hang/job-state';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { canHold } from '../agent/holder';
import { RankSetError } from '../job/rank-set';
import { StartError } from '../job/start-error';
import { processesHere } from '../job-sources/open-job';
import { HeldLooks } from '../query/hang/held-look';
import { lookAt } from '../query/hang/look';
import { loadPlugins } from '../query/load-plugin';
import { withHeldJob, type Held, type HeldOptions } from './held-job';

export class JobLooks {
  private readonly plugins: PluginRegistry;
  private readonly here: HeldLooks;

  /** Throws PluginError. */
  constructor(private readonly options: HeldOptions) {
    this.plugins = loadPlugins(options.plugins);
    this.here = new HeldLooks(this.plugins, options.gdb ?? 'gdb');
  }

  /** Rejects as withHeldJob does. */
  async take(signal: AbortSignal): Promise<Held<ProcessState[]>> {
    const look = await this.takeHere(signal);
    return (
      look ?? withHeldJob(this.options, signal, ({ ranks, plugins }, queries) => lookAt(queries, ranks, plugins.known))
    );
  }

  /** undefined: gdb has to look, which also finds the words for what is wrong. */
  private async takeHere(signal: AbortSignal): Promise<Held<ProcessState[]> | undefined> {
    const { target, ranks, world, sourceMap = [] } = this.options;
    if (!canHold || target.kind === 'cores' || sourceMap.length > 0) return undefined;
    try {
      const found = await processesHere(target, { plugins: this.plugins, ranks, world });
      const seen = found && (await this.here.look(found, signal));
      return seen && { answer: seen.look, ranks: seen.look.length, held: seen.held, warnings: [], beyondLines: [] };
    } catch (error) {
      if (error instanceof StartError || error instanceof RankSetError) return undefined;
      throw error;
    }
  }
}
