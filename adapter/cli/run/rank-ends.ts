/** How ranks ended, for those that could not say so: a process of ours on each host waits for their ends in the kernel (agent.pl, ends). */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { shippedMpis } from '../../../plugin-api/plugins/shipped';
import { agentHere } from '../../agent/agent-text';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import { environmentOfPerl } from '../../hosts/own-environment';
import { inTime, realClock } from '../../job/clock';
import { rankOf } from '../../launchers/rank-of-environment';
import type { DoorOfHost } from './death-door';
import { inOrderOfEnds, type RankEnd, type ToldEnd } from './end-order';

export interface SeenEnds {
  /** In the order in which they ended; ranks that still run are left out. Those whose end was not seen come first. */
  ends: readonly RankEnd[];
  /** How many ranks of the job run where we do not see them end. */
  elsewhere: number;
}

/** What watches the processes of one host. */
interface Watcher {
  stdin: Writable;
  stdout: Readable;
  /** Never rejects. */
  over: Promise<unknown>;
  /** Its end is waited for: until then a job that is over does not wait for it. */
  keep: () => void;
}

/** Milliseconds in which an end is watched that can be. */
const maxBeginning = 10_000;

/** Milliseconds that we wait for the last reports of other hosts. */
const maxLastWords = 2000;

/** Bytes of a line. */
const maxLine = 100;

export class RankEnds {
  private worldSize = 0;
  private readonly ranks = new Map<Host, Map<number, number>>();
  private readonly watchers = new Map<Host, Promise<Watcher | undefined>>();
  private readonly told: ToldEnd[] = [];
  private readonly asked: Promise<void>[] = [];
  /** By host and process. */
  private readonly isWatched = new Map<string, () => void>();

  /** Resolves when it is known whether it is a rank of this job, and its end is watched. */
  async begun(rank: { pid: number; rank: number }, from: DoorOfHost): Promise<void> {
    const ofHost = this.ranks.get(from.host) ?? new Map<number, number>();
    this.ranks.set(from.host, ofHost);
    if (ofHost.has(rank.pid)) return;
    ofHost.set(rank.pid, rank.rank);
    const asked = this.add(rank.pid, from);
    this.asked.push(asked);
    await asked;
  }

  /** No second process has begun with the variables of this rank. */
  isOneProcess(host: Host, rank: number): boolean {
    const begun = [...(this.ranks.get(host)?.values() ?? [])];
    return begun.filter((each) => each === rank).length < 2;
  }

  /** A rank was there. */
  get hasBegun(): boolean {
    return this.ranks.size > 0;
  }

  async result(): Promise<SeenEnds> {
    await Promise.all(this.asked);
    const watchers = (await Promise.all(this.watchers.values())).filter((watcher) => watcher !== undefined);
    const begun = [...this.ranks.values()].reduce((sum, { size }) => sum + size, 0);
    const elsewhere = Math.max(0, this.worldSize - begun);
    for (const watcher of watchers) {
      watcher.keep();
      watcher.stdin.end();
    }
    await inTime(realClock, Promise.all(watchers.map(({ over }) => over)), maxLastWords);
    const unseen = [...this.ranks].flatMap(([host, ranks]) =>
      [...ranks].filter(([pid]) => !this.told.some((each) => each.host === host && each.pid === pid)),
    );
    const first = unseen.map(([, rank]) => ({ rank, after: 0 }));
    return { ends: [...first, ...inOrderOfEnds(this.told)], elsewhere };
  }

  private async add(pid: number, { host, socket }: DoorOfHost): Promise<void> {
    const watched = this.watch(pid, host);
    // Whoever connects may have another view of processes than we have.
    const environment = await new HostProcess(host, pid).environment().catch(() => new Map<string, string>());
    // It has ended since it said so.
    if (environment.size === 0) return;
    if (environment.get('MPIDBG_DEATHS') !== socket) return void this.ranks.get(host)?.delete(pid);
    this.worldSize = Math.max(this.worldSize, rankOf(environment, shippedMpis).worldSize ?? 0);
    await watched;
  }

  /** Resolves when its end is watched, or cannot be. */
  private async watch(pid: number, host: Host): Promise<void> {
    const watcher = await this.watcherOn(host);
    if (watcher === undefined) return;
    const watched = new Promise<void>((resolve) => {
      this.isWatched.set(watchedName(host, pid), resolve);
      void watcher.over.then(() => resolve());
    });
    watcher.stdin.write(`${pid}\n`);
    await inTime(realClock, watched, maxBeginning);
  }

  private watcherOn(host: Host): Promise<Watcher | undefined> {
    let watcher = this.watchers.get(host);
    if (watcher === undefined) {
      // Without perl nothing is known.
      watcher = (host.startHelper === undefined ? watcherHere() : watcherThere(host)).catch(() => undefined);
      this.watchers.set(host, watcher);
      void watcher.then((found) => found && this.listen(host, found));
    }
    return watcher;
  }

  private listen(host: Host, { stdout }: Watcher): void {
    let rest = '';
    stdout.on('data', (part: Buffer) => {
      const lines = (rest + String(part)).split('\n');
      rest = lines.pop()!.slice(0, maxLine);
      for (const line of lines) this.hear(host, line);
    });
    stdout.resume();
  }

  private hear(host: Host, line: string): void {
    const [, pid, after, how = '-'] = /^(\d{1,7}) (\d{1,7}) (-?\d{1,10}|[-+])$/.exec(line) ?? [];
    this.isWatched.get(watchedName(host, Number(pid)))?.();
    if (how === '+') return;
    const rank = this.ranks.get(host)?.get(Number(pid));
    // Each ends once.
    if (rank === undefined || this.told.some((each) => each.host === host && each.pid === Number(pid))) return;
    this.told.push({ host, pid: Number(pid), rank, after: Number(after), how, time: performance.now() });
  }
}

const watchedName = (host: Host, pid: number): string => `${host.name} ${pid}`;

async function watcherHere(): Promise<Watcher> {
  const [perl = '', ...words] = [...agentHere, 'ends'];
  const env = environmentOfPerl(process.env);
  const child = spawn(perl, words, { stdio: ['pipe', 'pipe', 'ignore'], env, detached: true });
  const over = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  child.stdin.on('error', () => undefined);
  child.unref();
  const { stdin, stdout } = child;
  return { stdin, stdout, over, keep: () => child.ref() };
}

async function watcherThere(host: Host): Promise<Watcher | undefined> {
  const stream = await host.startHelper?.('ends of ranks', 'ends()');
  if (stream === undefined) return undefined;
  const over = new Promise((resolve) => stream.once('close', resolve));
  return { stdin: stream, stdout: stream, over, keep: () => undefined };
}
