/**
 * Two hosts beside one: npm run bench:hosts [-- openmpi|mpich] [DELAY...]. Hosts are namespaces of this machine (test/hosts);
 * DELAY is the time of one round trip to the other host in milliseconds, default 0, 1 and 20. The same job of 8 ranks, all on
 * the adapter's host or half of them on the other: time to the first stop, of a step of all ranks, of their stacks, of the handles of
 * one rank of the far host; bytes that went between the hosts meanwhile; from 20 ms on, how many questions had to wait for each
 * other, which are the round trips; and how long after the death of the adapter the last process of the job and of ours is gone
 * (without delay: with a gdb on the other host that hangs).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { launcherArgs, Cluster } from '../test/hosts/cluster';
import { FrameLog } from '../test/hosts/frame-log';
import { DapClient } from '../test/support/dap-client';
import { eventually } from '../test/support/process-state';
import { allMpis, launchers, type Mpi } from '../test/support/sample-job';

const ranks = 8;
const steps = 20;
const looks = 5;
const adapterFile = join(__dirname, '..', 'dist', 'adapter.js');
const source = join(__dirname, 'program.c');

interface Measured {
  milliseconds: number;
  /** To and from the far host. */
  bytes: number;
  /** In a row, to the far host. */
  questions: number;
}

class Bench {
  private constructor(
    private readonly cluster: Cluster,
    private readonly client: DapClient,
    private readonly log: FrameLog,
    private readonly program: string,
    private threadId: number,
  ) {}

  static async start(
    mpi: Mpi,
    program: string,
    hosts: string,
    delay: number,
  ): Promise<{ bench: Bench; stopped: Measured }> {
    const cluster = await Cluster.start(['nodea', 'nodeb']);
    if (delay > 0) await cluster.slow('nodeb', { delay: delay / 2 });
    const log = new FrameLog(join(mkdtempSync(join(dirname(program), 'frames-')), 'frames'));
    const { client } = DapClient.spawn(adapterFile, { through: [...cluster.on('nodea', []), ...log.through] });
    const bench = new Bench(cluster, client, log, program, 0);
    const stopped = await bench.measure(() => bench.launch(mpi, hosts));
    return { bench, stopped };
  }

  async stepAll(): Promise<Measured> {
    return this.measure(async () => {
      const since = this.client.events.length;
      await this.client.request('next', { threadId: this.threadId });
      await this.allStopped(since);
    });
  }

  /** Measures the stacks of all ranks, and the values of the top frame of one. */
  stacks(): Promise<Measured> {
    return this.measure(async () => void (await this.client.request('mpidbg/stacks')));
  }

  handles(rank: number): Promise<Measured> {
    return this.measure(async () => void (await this.client.request('mpidbg/handles', { ranks: String(rank) })));
  }

  /** Milliseconds to the end of the ranks, and to that of everything else that runs on the hosts; `gdb`: of the far host. */
  async killAdapter(gdb: 'well' | 'hangs'): Promise<[number, number]> {
    const left = (command: RegExp): boolean =>
      this.cluster.hosts.some(({ name }) =>
        this.cluster.processes(name).some((each) => command.test(each.commandLine)),
      );
    const [adapter] = this.cluster.processes('nodea').filter((each) => /dist\/adapter\.js$/.test(each.commandLine));
    const [far] = this.cluster.processes('nodeb').filter((each) => each.commandLine.startsWith('gdb '));
    if (gdb === 'hangs') process.kill(far!.pid, 'SIGSTOP');
    const begin = performance.now();
    process.kill(adapter!.pid, 'SIGKILL');
    await eventually('the end of the ranks', () => !left(new RegExp(`^${this.program}$`)), 60_000);
    const ofRanks = performance.now() - begin;
    await eventually('the end of all', () => !left(/./), 60_000);
    return [ofRanks, performance.now() - begin];
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  private async launch(mpi: Mpi, hosts: string): Promise<void> {
    const { client } = this;
    await client.request('initialize', { adapterID: 'mpidbg' });
    const { command, env } = launchers[mpi];
    const started = client.request('launch', {
      program: this.program,
      ranks,
      launcher: command,
      launcherArgs: launcherArgs(mpi, hosts),
      env,
    });
    await Promise.race([client.waitFor('initialized'), started]);
    const lines = readFileSync(source, 'utf8').split('\n');
    await client.request('setBreakpoints', {
      source: { path: source },
      breakpoints: [{ line: lines.findIndex((text) => text.includes('stop: behind MPI_Init')) + 1 }],
    });
    await client.request('configurationDone');
    await started;
    await this.allStopped(0);
  }

  private async allStopped(since: number): Promise<void> {
    const { body } = await this.client.waitFor<DebugProtocol.StoppedEvent>(
      'stopped',
      (event) => event.body.allThreadsStopped === true,
      { since, timeoutMs: 120_000 },
    );
    this.threadId = body.threadId!;
  }

  private async measure(work: () => Promise<void>): Promise<Measured> {
    const [since, before] = [this.log.length, await this.cluster.traffic('nodeb')];
    const begin = performance.now();
    await work();
    const milliseconds = performance.now() - begin;
    const bytes = (await this.cluster.traffic('nodeb')) - before;
    return { milliseconds, bytes, questions: this.log.sequential(since) };
  }
}

async function repeat(count: number, work: () => Promise<Measured>): Promise<Measured> {
  const all: Measured[] = [];
  for (let i = 0; i < count; i++) all.push(await work());
  return {
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
    bytes: median(all.map(({ bytes }) => bytes)),
    questions: median(all.map(({ questions }) => questions)),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const mpis = allMpis.filter((mpi) => given.includes(mpi) || !given.some((each) => /\D/.test(each)));
  const numbers = given.filter((each) => /^\d+$/.test(each)).map(Number);
  const half = ranks / 2;
  const cases = [
    { name: 'one', hosts: `nodea:${ranks}`, delay: 0 },
    ...(numbers.length > 0 ? numbers : [0, 1, 20]).map((delay) => ({
      name: 'two',
      hosts: `nodea:${half},nodeb:${half}`,
      delay,
    })),
  ];
  const columns = ['MPI', 'hosts', 'round trip, ms', 'all stopped, s (KiB)', 'step, ms (KiB)', 'stacks, ms (KiB)'];
  columns.push(
    'handles of a rank, first',
    'again in its stop',
    'in the next stop',
    'round trips: step, handles',
    'adapter killed: ranks gone, s',
    'all gone',
    'load',
  );
  console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
  const shown = ({ milliseconds, bytes }: Measured): string =>
    `${milliseconds.toFixed(0)} (${(bytes / 1024).toFixed(0)})`;
  const inARow = (delay: number, ...all: readonly Measured[]): string =>
    delay < 20 ? '–' : all.map(({ questions }) => questions).join(', ');
  // Every host sees it.
  const directory = mkdtempSync('/var/tmp/mpidbg-bench-');
  for (const mpi of mpis) {
    const program = join(directory, mpi);
    execFileSync(`mpicc.${mpi}`, ['-g', '-O0', '-o', program, source]);
    for (const { name, hosts, delay } of cases) {
      const { bench, stopped } = await Bench.start(mpi, program, hosts, delay);
      try {
        const inSeconds = `${(stopped.milliseconds / 1000).toFixed(2)} (${(stopped.bytes / 1024).toFixed(0)})`;
        const handles = [await bench.handles(ranks - 1), await bench.handles(ranks - 1)];
        const step = await repeat(steps, () => bench.stepAll());
        handles.push(await bench.handles(ranks - 1));
        const stacks = await repeat(looks, () => bench.stacks());
        const gone = await bench.killAdapter(name === 'two' && delay === 0 ? 'hangs' : 'well');
        const cells = [mpi, name, delay, inSeconds, shown(step), shown(stacks), ...handles.map(shown)];
        cells.push(inARow(delay, step, ...handles));
        const rest = [...gone.map((ms) => (ms / 1000).toFixed(1)), loadavg()[0]?.toFixed(0) ?? ''];
        console.log(`| ${[...cells, ...rest].join(' | ')} |`);
      } finally {
        await bench.stop();
      }
    }
  }
  rmSync(directory, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
