/** How ranks ended, for those that could not say so: a process beside us waits for their ends in the kernel (agent.pl, ends). */
import { spawn, type ChildProcess } from 'node:child_process';
import { shippedMpis } from '../../../plugin-api/plugins/shipped';
import { agentHere } from '../../agent/agent-text';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { environmentOfPerl } from '../../hosts/own-environment';
import { rankOf } from '../../launchers/rank-of-environment';

export interface RankEnd {
  rank: number;
  /** How many had ended before it; those that have the same number ended together, as far as anybody can tell. */
  after: number;
  /** It ended by itself; neither this nor `signal`: how it ended is not known. */
  status?: number;
  signal?: number;
}

export interface SeenEnds {
  /** In the order in which they ended; ranks that still run are left out. */
  ends: readonly RankEnd[];
  /** How many ranks of the job run on other hosts, where we do not see them end. */
  elsewhere: number;
}

export class RankEnds {
  private worldSize = 0;
  private child: ChildProcess | undefined;
  private readonly ranks = new Map<number, number>();
  private over: Promise<unknown> | undefined;
  private told = '';
  private readonly asked: Promise<void>[] = [];

  /** `socket`: what a rank of this job has in its environment. Resolves when that is known. */
  async begun(rank: { pid: number; rank: number }, socket: string): Promise<void> {
    if (this.ranks.has(rank.pid)) return;
    const asked = this.add(rank, socket);
    this.asked.push(asked);
    await asked;
  }

  /** A rank was there. */
  get hasBegun(): boolean {
    return this.ranks.size > 0;
  }

  async result(): Promise<SeenEnds> {
    await Promise.all(this.asked);
    const { child } = this;
    const elsewhere = Math.max(0, this.worldSize - this.ranks.size);
    if (child === undefined) return { ends: [], elsewhere };
    child.ref();
    child.stdin?.end();
    await this.over;
    const ends = [...this.told.matchAll(/^(\d+) (\d+) (-?\d+|-)$/gm)].map(([, pid, after, how]) => ({
      ...{ rank: this.ranks.get(Number(pid))!, after: Number(after) },
      ...(how === '-' ? {} : endOf(Number(how))),
    }));
    return { ends, elsewhere };
  }

  private async add({ pid, rank }: { pid: number; rank: number }, socket: string): Promise<void> {
    this.ranks.set(pid, rank);
    // Whoever connects may have another view of processes than we have.
    const environment = await new HostProcess(localHost, pid).environment().catch(() => new Map<string, string>());
    if (environment.get('MPIDBG_DEATHS') !== socket) return;
    this.worldSize = Math.max(this.worldSize, rankOf(environment, shippedMpis).worldSize ?? 0);
    this.child ??= this.start();
    this.child.stdin?.write(`${pid}\n`);
  }

  private start(): ChildProcess {
    const [perl = '', ...words] = [...agentHere, 'ends'];
    const env = environmentOfPerl(process.env);
    const child = spawn(perl, words, { stdio: ['pipe', 'pipe', 'ignore'], env, detached: true });
    // Without perl nothing is known.
    this.over = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (part: Buffer) => (this.told += String(part)));
    child.unref();
    return child;
  }
}

/** As wait(2) tells it. */
function endOf(how: number): Pick<RankEnd, 'status' | 'signal'> {
  return (how & 0x7f) === 0 ? { status: (how >> 8) & 0xff } : { signal: how & 0x7f };
}
