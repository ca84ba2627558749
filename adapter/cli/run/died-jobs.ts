/** What was seen of the jobs in which a rank has died: `run` may have started a script, and that several jobs, one after the other. */
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { asTyped } from '../../query/command-line';
import type { DeathLook } from '../../query/deaths/death-look';
import type { Report } from '../../report/report';
import { Starter } from './starter';

/** What was seen of the first ranks of a job that died. */
export interface Died {
  look: DeathLook;
  report: Report | undefined;
  /** What a rank was called by that died: "./solver -n 4", cut. undefined: it is not known. */
  command?: string | undefined;
}

/** Jobs of one script whose deaths are looked at. */
export const maxDiedJobs = 8;

/** Characters of what a rank was called by. */
const maxCommand = 120;

export class DiedJobs {
  /** Of the job that runs now, or the last one. undefined: no rank of it was seen to die. */
  last: Died | undefined;
  /** More jobs have begun after as many as are looked at. */
  areMore = false;
  private readonly earlier: Died[] = [];
  /** Of the job of `last`. */
  private starter: Starter | undefined;

  /** In their order. */
  get all(): readonly Died[] {
    return this.last === undefined ? this.earlier : [...this.earlier, this.last];
  }

  /** While the ranks that die still wait. `script`: the pid of what `run` has started. */
  async learn(look: DeathLook, script: number): Promise<Died> {
    const here = [...look.deaths, ...look.states].flatMap(({ id: { host = localHost.name, pid } }) =>
      host === localHost.name && pid !== undefined ? [pid] : [],
    );
    const [starter, command] = await Promise.all([Starter.of(here, script), commandOf(here[0])]);
    this.starter = starter;
    this.last = { look, report: undefined, command };
    return this.last;
  }

  /** Called when a rank begins. True: the job in which a rank had died is over, and this rank belongs to the next one. */
  async leave(): Promise<boolean> {
    const { last, starter } = this;
    if (last === undefined || starter === undefined || !(await starter.hasEnded())) return false;
    // Another rank has begun meanwhile.
    if (this.starter !== starter) return false;
    this.areMore = this.earlier.length + 1 >= maxDiedJobs;
    if (this.areMore) return false;
    this.earlier.push(last);
    this.last = this.starter = undefined;
    return true;
  }
}

async function commandOf(pid: number | undefined): Promise<string | undefined> {
  const words =
    pid === undefined ? undefined : await new HostProcess(localHost, pid).arguments().catch(() => undefined);
  const text = words && asTyped(words);
  return text === undefined || text.length <= maxCommand ? text : `${text.slice(0, maxCommand)}…`;
}
