/** Ranks that wait for a debugger at a place of their program. */
import { counted } from '../../../plugin-api/counted';
import { shippedMpis } from '../../../plugin-api/plugins/shipped';
import type { BreakpointLocation } from '../../gdb/mi/breakpoint-commands';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import { tell } from '../../hosts/standard-streams';
import { withinTime } from '../../hosts/time-limit';
import { formatRankSet, rankSetOf } from '../../../plugin-api/answers/rank-set';
import type { Reach } from '../../job-sources/job-finder';
import { rankOf } from '../../launchers/rank-of-environment';
import { pluginsWhenNeeded } from '../../query/plugins-when-needed';
import type { Waiting } from './death-door';
import type { HostsOfRun } from './hosts-of-run';
import type { LookTurns } from './look-turns';

export interface StopWatchOptions {
  at: BreakpointLocation;
  gdb: string | undefined;
  plugins: readonly string[];
  libraryCode: readonly string[];
  turns: LookTurns;
  hosts: HostsOfRun | undefined;
  /** Resolves when the ranks are to go on. */
  hold: () => Promise<void>;
  /** Aborted when the job ends, or is asked to. */
  ending: () => AbortSignal;
}

/** Milliseconds for gdb to find the place in the ranks that ask at a time. */
const maxSearch = 60_000;
const patience = 5000;

export class StopWatch {
  private readonly asking: Waiting[] = [];
  private readonly standing = new Set<Waiting>();
  private readonly come = new Set<number>();
  private readonly words = new Map<string, string>();
  /** Ranks with such a place, and without one. */
  private readonly having = new Set<number>();
  private readonly without = new Set<number>();
  private searching: Promise<void> | undefined;
  private isMissingTold = false;
  private isOver = false;
  private isHeld = false;
  private holding: Promise<void> | undefined;
  private worldSize = 0;
  private failure: string | undefined;

  constructor(private readonly options: StopWatchOptions) {}

  told(waiting: Waiting): void {
    if (this.isOver || waiting.record.rank === undefined) return waiting.answer('');
    if (waiting.record.kind === 'reached') return this.reached(waiting);
    this.asking.push(waiting);
    this.searching ??= this.searchForAll().finally(() => (this.searching = undefined));
  }

  /** When the launcher has ended: what was not as the user wanted it; undefined: ranks have waited there, or it is told already. */
  async lacks(): Promise<string | undefined> {
    await this.searching;
    await this.holding;
    if (this.failure !== undefined) return this.failure;
    return this.come.size > 0 || this.isToldMissing
      ? undefined
      : `no rank has come to ${placeText(this.options.at)} (--stop-at)`;
  }

  private get isToldMissing(): boolean {
    return this.worldSize > 0 && this.without.size >= this.worldSize;
  }

  private async searchForAll(): Promise<void> {
    while (this.asking.length > 0) await this.search(this.asking.splice(0));
  }

  private async search(asking: readonly Waiting[]): Promise<void> {
    const { at, gdb, plugins, libraryCode, turns, hosts, ending } = this.options;
    const answers = new Map<Waiting, string>();
    try {
      const [{ withHeldJob }, { stopPlaces }] = await Promise.all([
        import('../held-job.js'),
        import('../../query/stops/stop-places.js'),
      ]);
      const registry = await pluginsWhenNeeded(plugins, libraryCode);
      const reach = hosts && only(asking, { find: () => hosts.find(registry) });
      const target = { kind: 'pids' as const, pids: asking.map(({ record }) => record.pid) };
      const own = { target, reach, gdb, plugins, libraryCode, ranks: undefined, sourceMap: [] };
      const late = (): Error => new Error(`gdb has not found it within ${maxSearch / 1000} s`);
      const limit = { milliseconds: maxSearch, signal: ending(), late, patience };
      await withinTime(limit, (signal) =>
        turns.takeFirst(signal, () =>
          withHeldJob(own, signal, async (job) => {
            for (const [rank, places] of await stopPlaces(job, at)) {
              const waiting = asking.find(
                ({ record, from }) => record.pid === rank.pid && from.host.name === rank.host,
              );
              if (waiting === undefined) continue;
              answers.set(waiting, places.map(({ address }) => address.toString(16)).join(' '));
              for (const { address, words } of places) this.words.set(keyOf(waiting, address), words);
            }
          }),
        ),
      );
    } catch (error) {
      if (!ending().aborted)
        this.failure ??= `${placeText(at)} was not looked for in ${ranksText(asking)} (--stop-at): ${(error as Error).message}`;
    }
    const late: Waiting[] = [];
    const unasked = asking.filter((waiting) => !answers.has(waiting));
    if (unasked.length > 0 && !ending().aborted)
      this.failure ??= `${placeText(at)} was not looked for in ${ranksText(unasked)} (--stop-at): gdb could not hold what runs there`;
    for (const waiting of asking) {
      await this.learnSize(waiting);
      if (waiting.record.isAtInit && answers.get(waiting) === '') this.without.add(waiting.record.rank!);
      if (answers.get(waiting)) this.having.add(waiting.record.rank!);
      if (waiting.over.aborted) late.push(waiting);
      waiting.answer(`${answers.get(waiting) ?? ''}\n`);
    }
    if (late.length > 0)
      this.failure ??= `${placeText(at)} was found too late for ${ranksText(late)} (--stop-at), which did not wait for the answer any longer`;
    await this.tellMissing();
  }

  /** Once, when all ranks have asked. */
  private async tellMissing(): Promise<void> {
    const { size } = this.without;
    if (this.isMissingTold || size === 0 || this.having.size + size < this.worldSize) return;
    this.isMissingTold = true;
    const at = `${placeText(this.options.at)} (--stop-at), as far as gdb knows`;
    await tell(
      this.isToldMissing
        ? `no program of the job has ${at}: check the name, and that it is built with -g; the job goes on`
        : `the program of ${numbersText(this.without)} has no ${at}: ${size === 1 ? 'it does' : 'they do'} not wait`,
    );
  }

  private async learnSize({ record, from }: Waiting): Promise<void> {
    const environment = await new HostProcess(from.host, record.pid).environment().catch(() => new Map());
    this.worldSize = Math.max(this.worldSize, rankOf(environment, shippedMpis).worldSize ?? 0);
  }

  private reached(waiting: Waiting): void {
    const { record } = waiting;
    const isFirst = this.come.size === 0;
    this.come.add(record.rank!);
    if (record.isTaken) return waiting.answer('');
    this.standing.add(waiting);
    waiting.over.addEventListener('abort', () => this.standing.delete(waiting), { once: true });
    const where = this.words.get(keyOf(waiting, record.address)) ?? placeText(this.options.at);
    if (isFirst) this.holding = this.hold(record.rank!, where);
    else if (this.come.size === this.worldSize && this.isHeld)
      void tell(`all ${counted(this.worldSize, 'rank')} wait at ${placeText(this.options.at)}`);
  }

  private async hold(rank: number, where: string): Promise<void> {
    await tell(`rank ${rank} waits for a debugger in ${where}`);
    this.isHeld = true;
    await this.options.hold();
    this.isOver = true;
    const left = [...this.standing];
    if (left.length > 0 && !this.options.ending().aborted)
      await tell(`no debugger has let ${ranksText(left)} go on: the time is over, and the job goes on`);
    for (const each of left) each.answer('\n');
  }
}

/** As the user wrote it. */
function placeText(at: BreakpointLocation): string {
  return at.kind === 'line' ? `${at.file}:${at.line}` : at.function;
}

function ranksText(waiting: readonly Waiting[]): string {
  return numbersText(waiting.flatMap(({ record }) => record.rank ?? []));
}

function numbersText(ranks: Iterable<number>): string {
  const each = [...ranks].toSorted((a, b) => a - b);
  return `rank${each.length === 1 ? '' : 's'} ${formatRankSet(rankSetOf(each))}`;
}

function keyOf({ record, from }: Waiting, address: bigint): string {
  return `${from.host.name} ${record.pid} ${address}`;
}

/** Reaches only those of the job's processes that ask. */
function only(asking: readonly Waiting[], reach: Reach): Reach {
  const isAsking = (host: Host, pid: number): boolean =>
    asking.some(({ record, from }) => record.pid === pid && from.host.name === host.name);
  return {
    find: async () => {
      const { targets, dead } = await reach.find();
      return { targets: targets.filter(({ host, place }) => isAsking(host, place.pid)), dead };
    },
  };
}
