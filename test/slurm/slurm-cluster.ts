/**
 * A cluster that Slurm manages, on this machine: a login node with slurmctld, and nodes with slurmd, each a host made of namespaces. No
 * file of this machine changes. The login node sees no process of a node.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../hosts/cluster';
import { eventually } from '../support/process-state';
import { cli } from '../support/run-cli';
import { launchers } from '../support/sample-job';

const nodes = ['node1', 'node2'];

export interface Ended {
  status: number | null;
  output: string;
}

export class SlurmCluster {
  private constructor(
    private readonly cluster: Cluster,
    /** Every host sees it. */
    readonly folder: string,
    private readonly daemons: readonly ChildProcess[],
  ) {}

  /** Starts a login node and two nodes of four processors. */
  static async start(): Promise<SlurmCluster> {
    const folder = mkdtempSync('/var/tmp/mpidbg-slurm-');
    const cluster = await Cluster.start(['login', ...nodes]);
    const daemons: ChildProcess[] = [];
    const slurm = new SlurmCluster(cluster, folder, daemons);
    try {
      for (const name of ['login', ...nodes]) mkdirSync(join(folder, name));
      writeFileSync(slurm.configuration, configuration(cluster, folder));
      for (const name of nodes) daemons.push(slurm.daemon(name, ['sh', '-c', startNode, name]));
      daemons.push(slurm.daemon('login', ['slurmctld', '-D', '-c']));
      await eventually(
        'the nodes are idle',
        async () => (await slurm.run(['sinfo', '-h', '-t', 'idle', '-o', '%D'])).output.trim() === '2',
      );
      return slurm;
    } catch (error) {
      await slurm.stop();
      throw error;
    }
  }

  private get configuration(): string {
    return join(this.folder, 'slurm.conf');
  }

  /** The command line that runs a command on the login node, as a user of the cluster does. */
  atLogin(command: readonly string[]): string[] {
    const [program = '', ...args] = this.cluster.on('login', command);
    return ['env', `SLURM_CONF=${this.configuration}`, ...asRoot, program, ...args];
  }

  /** On the login node, to its end. */
  async run(command: readonly string[]): Promise<Ended> {
    return new Promise((resolve) => {
      const [program = '', ...args] = this.atLogin(command);
      execFile(program, args, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ status, output: stdout + stderr });
      });
    });
  }

  mpidbg(args: readonly string[]): Promise<Ended> {
    return this.run([process.execPath, cli, ...args]);
  }

  /** What a batch job on so many nodes and ranks prints, and the status of its last command. */
  async batch(where: readonly string[], line: string): Promise<Ended> {
    const folder = mkdtempSync(join(this.folder, 'batch-'));
    const [script, output, ended] = ['script', 'output', 'ended'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(script, `#!/bin/sh\n${line}\necho $? >${ended}.new; mv ${ended}.new ${ended}\n`, { mode: 0o755 });
    const { output: complaint, status } = await this.run(['sbatch', ...where, '--output', output, script]);
    assert.equal(status, 0, complaint);
    // sbatch --wait asks after 2, 8 and 32 seconds only.
    await eventually(
      () => `the end of the batch job: ${existsSync(output) ? readFileSync(output, 'utf8') : ''}`,
      () => existsSync(ended),
    );
    return { status: Number(readFileSync(ended, 'utf8')), output: readFileSync(output, 'utf8') };
  }

  /** On the login node; resolves when a line has come from so many ranks. */
  async startWaiting(command: readonly string[], ranks: number): Promise<WaitingCommand> {
    const [program = '', ...args] = this.atLogin(command);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually(
      () => `${ranks} ranks wait: ${said}`,
      () => said.split('\n').filter((line) => /hangs$/.test(line)).length === ranks,
    );
    const found = this.cluster
      .processes('login')
      .filter(({ commandLine }) => commandLine.startsWith(command.join(' ')));
    const pid = Math.min(...found.map(({ pidThere }) => pidThere));
    return {
      pid,
      end: async () => {
        await this.run(['scancel', '--user', 'root']);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      },
    };
  }

  /** A job has been given its nodes. */
  async isRunning(): Promise<void> {
    const running = ['squeue', '-h', '--states=RUNNING'];
    await eventually('a job runs', async () => (await this.run(running)).output !== '');
  }

  /** No job and nothing of one is left. */
  async isQuiet(): Promise<void> {
    const ours = /slurm(d|ctld|stepd|scriptd)|^nsenter/;
    const left = async (): Promise<string[]> => [
      ...(await this.run(['squeue', '-h'])).output.split('\n').filter((line) => line !== ''),
      ...['login', ...nodes].flatMap((name) =>
        this.cluster
          .processes(name)
          .flatMap(({ commandLine }) => (ours.test(commandLine) ? [] : `${name}: ${commandLine}`)),
      ),
    ];
    let last: string[] = [];
    await eventually(
      () => `the end of ${last.join('\n')}`,
      async () => (last = await left()).length === 0,
      20_000,
    );
  }

  async stop(): Promise<void> {
    for (const daemon of this.daemons) daemon.kill('SIGKILL');
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private daemon(name: string, words: readonly string[]): ChildProcess {
    const [program = '', ...args] = this.cluster.on(name, words);
    return spawn(program, args, { env: { ...process.env, SLURM_CONF: this.configuration }, stdio: 'ignore' });
  }
}

export interface WaitingCommand {
  /** As the login node knows it. */
  pid: number;
  end(): Promise<void>;
}

/** slurmd looks for control groups of either version, which it is not to use, and ends where none are mounted. */
const startNode = [
  'mount -t tmpfs groups /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd',
  'mount -t cgroup -o none,name=systemd groups /sys/fs/cgroup/systemd || mount -t cgroup2 groups /sys/fs/cgroup',
  'exec slurmd -D -N "$0"',
].join('\n');

const asRoot = Object.entries(launchers.openmpi.env).map(([name, value]) => `${name}=${value ?? ''}`);

/** No service of the system is needed: neither munge nor cgroups. */
function configuration(cluster: Cluster, folder: string): string {
  const address = (name: string): string => cluster.host(name).address;
  return [
    ...['ClusterName=test', `SlurmctldHost=login(${address('login')})`, 'SlurmUser=root', 'SlurmdUser=root'],
    ...['AuthType=auth/none', 'CredType=cred/none', 'ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none'],
    ...['JobAcctGatherType=jobacct_gather/linux', 'SelectType=select/cons_tres', 'SelectTypeParameters=CR_Core'],
    ...['SchedulerType=sched/builtin', 'MpiDefault=none', 'ReturnToService=2', 'KillWait=5'],
    ...['SlurmdParameters=config_overrides', `StateSaveLocation=${folder}/login`, `SlurmdSpoolDir=${folder}/%n/spool`],
    ...[`SlurmctldPidFile=${folder}/login/pid`, `SlurmdPidFile=${folder}/%n/pid`],
    ...[`SlurmctldLogFile=${folder}/login/log`, `SlurmdLogFile=${folder}/%n/log`],
    ...nodes.map((name) => `NodeName=${name} NodeAddr=${address(name)} CPUs=4 RealMemory=4000 State=UNKNOWN`),
    'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
    '',
  ].join('\n');
}
