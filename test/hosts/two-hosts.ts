/** Sessions on a cluster of two hosts, of which the first has the adapter; the other sees no file of mpidbg. */
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { DebugRun, type StartOptions } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { cli } from '../support/run-cli';
import { launchers, samplePath, type Mpi } from '../support/sample-job';
import { readTruthDirectory, type TruthRecord } from '../support/truth';
import { Cluster, launcherArgs, type Distribution, type HostedProcess } from './cluster';

export const ranks = 8;
export const allRanks = Array.from({ length: ranks }, (_, rank) => rank);
export const nearRanks = allRanks.slice(0, ranks / 2);
/** Those of the host without the adapter. */
export const farRanks = allRanks.slice(ranks / 2);

/** The folder that mpidbg is installed in. */
export const installation = dirname(cli);

export interface WaitingJob {
  launcher: ChildProcess;
  /** On the first host. */
  launcherPid: number;
  truth: TruthRecord[];
}

export class TwoHosts {
  /** Every host sees it. */
  private readonly folder = mkdtempSync('/var/tmp/mpidbg-hosts-');

  private constructor(readonly cluster: Cluster) {}

  /** `other`: of the second host. */
  static async start(other?: Distribution): Promise<TwoHosts> {
    const hosts = new TwoHosts(await Cluster.start(['nodea', 'nodeb'], other && { nodeb: other }));
    await hosts.run('nodeb', ['mount', '-t', 'tmpfs', 'tmpfs', installation]);
    return hosts;
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A new folder that every host sees. */
  newFolder(): string {
    return mkdtempSync(join(this.folder, 'shared-'));
  }

  /** `env`: variables for the ranks. */
  options(start: StartOptions, env: Readonly<Record<string, string>> = {}): StartOptions {
    const { mpi, attributes = {} } = start;
    return {
      ranks,
      through: this.cluster.on('nodea', []),
      ...start,
      attributes: {
        launcherArgs: launcherArgs(mpi, `nodea:${ranks / 2},nodeb:${ranks / 2}`),
        env: { ...launchers[mpi].env, ...env },
        ...attributes,
      },
    };
  }

  /**
   * Starts a sample on both hosts without the debugger; resolves when all its ranks wait, with what each told of MPI. `path`: what is
   * started instead. `argument`: that lets it wait.
   */
  async startWaiting(
    mpi: Mpi,
    program: string,
    path = samplePath(mpi, program),
    argument = '--wait',
  ): Promise<WaitingJob> {
    const folder = this.newFolder();
    const names = mpi === 'openmpi' ? ['-x', 'MPIDBG_TRUTH'] : [];
    const [command = '', ...args] = this.cluster.on('nodea', [
      launchers[mpi].command,
      ...launcherArgs(mpi, `nodea:${ranks / 2},nodeb:${ranks / 2}`),
      ...[...names, '-n', String(ranks), path, argument],
    ]);
    const launcher = spawn(command, args, {
      env: { ...process.env, ...launchers[mpi].env, MPIDBG_TRUTH: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let waiting = 0;
    for await (const line of createInterface({ input: launcher.stdout })) {
      if (line.includes('MPIDBG-WAITING') && ++waiting === ranks) break;
    }
    assert.equal(waiting, ranks, 'not all ranks wait');
    launcher.stdout.resume();
    const [found] = this.running('nodea', new RegExp(`^${launchers[mpi].command} `));
    assert.ok(found);
    return { launcher, launcherPid: found.pidThere, truth: readTruthDirectory(folder) };
  }

  launch(
    start: StartOptions,
    env?: Readonly<Record<string, string>>,
    configure?: Parameters<typeof DebugRun.launch>[1],
  ): Promise<DebugRun> {
    return DebugRun.launch(this.options(start, env), configure);
  }

  /** Ends the session, where it can be by letting the ranks go to their own end. Nothing may be left on any host. */
  async end(run: DebugRun, mpi: Mpi): Promise<void> {
    // With UCX 1.13 over TCP, MPI_Finalize of MPICH 4.0.2 waits for ever for ranks of the other host, with and without mpidbg.
    if (mpi === 'openmpi') {
      await run.continueUntil(run.client.waitFor('terminated'));
      assert.equal(await run.terminated(), 0);
    }
    await run.close();
    await this.isQuiet();
  }

  /** What the command line prints, run on the first host. */
  cli(args: readonly string[]): Promise<string> {
    return this.run('nodea', [process.execPath, cli, ...args]);
  }

  /** What a command prints on a host. */
  async run(name: string, words: readonly string[]): Promise<string> {
    const [command = '', ...args] = this.cluster.on(name, words);
    return (await promisify(execFile)(command, args, { maxBuffer: 1 << 28 })).stdout;
  }

  /** What runs on a host with such a command line. */
  running(name: string, commandLine: RegExp): HostedProcess[] {
    return this.cluster.processes(name).filter((each) => commandLine.test(each.commandLine));
  }

  /** The secret of the job that is debugged is in environments, and in no command line. */
  assertTokenIsHidden(): void {
    const processes = this.cluster.hosts.flatMap(({ name }) => this.cluster.processes(name));
    const ofToken = (line: string): string[] => /^MPIDBG_TOKEN=(\w+)$/.exec(line)?.slice(1) ?? [];
    const tokens = new Set(processes.flatMap(({ environment }) => environment.flatMap(ofToken)));
    const [token = '', ...others] = tokens;
    assert.deepEqual([token.length, others], [64, []]);
    for (const { commandLine } of processes) assert.ok(!commandLine.includes(token), commandLine);
  }

  /** On no host anything runs any more. */
  async isQuiet(deadlineMs?: number): Promise<void> {
    const left = (): string[] =>
      this.cluster.hosts.flatMap(({ name }) =>
        this.cluster.processes(name).map(({ commandLine }) => `${name}: ${commandLine}`),
      );
    await eventually(
      () => `the end of ${left().join('\n')}`,
      () => left().length === 0,
      deadlineMs,
    );
  }
}
