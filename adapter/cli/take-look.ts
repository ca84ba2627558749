/** Looks at a job, for a verdict: without a debugger where that is possible, on all of its hosts, else by gdb. */
import { ranksInWords } from '../../plugin-api/mpi/rank-names';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { canHold } from '../agent/holder';
import { HostProcess } from '../hosts/host-process';
import { ProcessAccessError } from '../hosts/process-access-error';
import { symbolFilesOf } from '../images/live/symbol-files';
import { lostFilesOf } from '../job/lost-files';
import { RankSetError, type RanksOfWorld } from '../../plugin-api/answers/rank-set';
import type { Host } from '../hosts/host';
import type { LostFile, Rank } from '../job/rank';
import { JobReach, type Placed } from '../job-sources/job-finder';
import { findProcesses, processesHere } from '../job-sources/open-job';
import type { JobQueries } from '../query/job-queries';
import { HeldLooks } from '../query/hang/held-look';
import { lookAt, withLostFiles } from '../query/hang/look';
import { loadPlugins } from '../query/load-plugin';
import { withHeldJob, type Held, type HeldOptions } from './held-job';

export class JobLooks {
  private readonly plugins: PluginRegistry;
  private held: HeldLooks;
  /** Set for a job that runs on other hosts, too. */
  private reach: JobReach | undefined;
  /** It had to look before: looks are compared, so the next ones are to be of the same kind. */
  private needsGdb = false;
  /** The ranks that lost something, looked for once. */
  private lost: Promise<readonly LosingRank[]> | undefined;

  /** `hasFound` is called by each look that finds ranks, whatever becomes of it. Throws PluginError. */
  constructor(
    private readonly options: HeldOptions,
    private readonly hasFound: () => void = () => undefined,
  ) {
    this.plugins = loadPlugins(options.plugins, options.libraryCode);
    this.held = this.heldLooks();
  }

  /** Rejects as withHeldJob does. `end` is to be called after the last one. */
  async take(signal: AbortSignal): Promise<Held<ProcessState[]>> {
    try {
      const found = await this.find(signal);
      if (found !== undefined) this.hasFound();
      const look = found && !this.needsGdb ? await this.takeWithoutGdb(found, signal) : undefined;
      if (look !== undefined) return look;
      this.needsGdb = true;
      return await this.takeByGdb(signal);
    } catch (error) {
      // What is lost of it is found anew by the next look.
      await this.end();
      throw error;
    }
  }

  /**
   * Asks these ranks, or all, by gdb, while they are held once more. Rejects as withHeldJob does, and with StartError where nobody else may
   * look at them.
   */
  async ask<T>(
    some: readonly RanksOfWorld[] | undefined,
    signal: AbortSignal,
    question: (sources: { ranks: readonly Rank[]; queries: JobQueries }) => Promise<T>,
  ): Promise<Held<T>> {
    const ranks = some ?? this.options.ranks;
    return withHeldJob({ ...this.options, ranks, reach: this.reach }, signal, (job, queries) =>
      question({ ranks: job.ranks, queries }),
    );
  }

  /** Nothing of the looks is left on other hosts when it resolves. */
  async end(): Promise<void> {
    const { reach } = this;
    this.reach = undefined;
    this.needsGdb = false;
    this.held = this.heldLooks();
    await reach?.end();
  }

  private heldLooks(): HeldLooks {
    return new HeldLooks(this.plugins, this.options.gdb ?? 'gdb');
  }

  private takeByGdb(signal: AbortSignal): Promise<Held<ProcessState[]>> {
    return withHeldJob({ ...this.options, reach: this.reach }, signal, ({ ranks, plugins }, queries) =>
      lookAt(queries, ranks, plugins.known),
    );
  }

  /** undefined: gdb has to look, which also finds the words for what is wrong. */
  private async takeWithoutGdb(found: Placed<Host>, signal: AbortSignal): Promise<Held<ProcessState[]> | undefined> {
    const { sourceMap = [] } = this.options;
    if (!canHold || sourceMap.length > 0) return undefined;
    const seen = await this.held.look(found, signal);
    if (seen === undefined) return undefined;
    const lost = await (this.lost ??= losingRanks(found));
    const warnings = lostFilesOf(lost);
    const answer = seen.look.map((state) => withLostFiles(state, losingRankOf(state, lost), this.plugins.known));
    return { answer, ranks: answer.length, held: seen.held, warnings, beyondLines: warnings };
  }

  /** undefined: withHeldJob has to find them, or to say in its words why it cannot. Rejects with StartError. */
  private async find(signal: AbortSignal): Promise<Placed<Host> | undefined> {
    const { target, ranks, world } = this.options;
    if (target.kind === 'cores') return undefined;
    const choice = { plugins: this.plugins, ranks, world };
    try {
      if (this.reach === undefined) {
        const here = await processesHere(target, choice);
        if (here !== undefined || target.kind === 'pids') return here;
        this.reach = await JobReach.open(target, { plugins: this.plugins, signal, isForLook: true });
      }
      return await findProcesses(target, { ...choice, reach: this.reach });
    } catch (error) {
      if (error instanceof RankSetError) return undefined;
      throw error;
    }
  }
}

/** A process, and the files that have changed since it loaded them. */
interface LosingRank extends Pick<Rank, 'number' | 'label' | 'lostFiles'> {
  world?: string | undefined;
  pid: number;
  host: string;
}

function losingRankOf({ id }: ProcessState, ranks: readonly LosingRank[]): LosingRank | undefined {
  return ranks.find(({ host, pid }) => pid === id.pid && host === id.host);
}

/** Tells which processes have lost something. */
function losingRanks({ targets }: Placed<Host>): Promise<LosingRank[]> {
  return Promise.all(
    targets.map(async ({ host, pid, place: { number, world, pid: shown } }) => ({
      ...{ number, world, host: host.name, pid: shown },
      label: number === null ? `process ${shown}` : ranksInWords([{ rank: number, world }]),
      lostFiles: await lostFilesIn(new HostProcess(host, pid)),
    })),
  );
}

async function lostFilesIn(process: HostProcess): Promise<readonly LostFile[]> {
  try {
    return (await symbolFilesOf(process)).lost;
  } catch (error) {
    // It has ended, which the look tells.
    if (error instanceof ProcessAccessError) return [];
    throw error;
  }
}
