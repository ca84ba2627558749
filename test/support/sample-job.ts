/** Starts a sample on some ranks and waits until it says that it is ready: no test sleeps. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type BlockedCall,
  type LiveHandles,
  readBlockedDirectory,
  readLiveDirectory,
  readOwnLines,
  readQueuesDirectory,
  readTruthDirectory,
  type ToldQueues,
  type TruthRecord,
} from './truth';
import { patienceMs } from './patience';
import { isThorough } from './thorough';

export type Mpi = 'openmpi' | 'mpich';
export const allMpis: readonly Mpi[] = ['openmpi', 'mpich'];

/**
 * One of the two, always the same one for a subject: for tests of what the debugger does, whichever MPI the ranks have. What is decoded
 * from an MPI's memory, and what its launcher does, is tested with allMpis.
 */
export function eitherMpi(subject: string): readonly Mpi[] {
  if (isThorough) return allMpis;
  return [allMpis[createHash('sha1').update(subject).digest()[0]! % allMpis.length]!];
}
/** The samples built for the standard ABI of MPI 5, running with the library of that MPI. */
export type StandardAbi = `${Mpi}-abi`;
/** The folders of samples/build. */
export type Build = Mpi | StandardAbi;

const root = join(__dirname, '..', '..');

/** What starts ranks of this MPI on this machine, whoever runs it and however few CPUs there are. */
export const launchers: Record<Mpi, { command: string; args: string[]; env: NodeJS.ProcessEnv }> = {
  openmpi: {
    command: 'mpirun.openmpi',
    args: ['--oversubscribe'],
    // gcore writes the unused address space of each of malloc's arenas: 128 of the 152 MB of a core file.
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', MALLOC_ARENA_MAX: '1' },
  },
  mpich: { command: 'mpiexec.mpich', args: [], env: {} },
};

/** True when the samples are built so: where the MPI has no standard ABI they are not. */
export function isBuilt(build: Build): boolean {
  return existsSync(join(root, 'samples', 'build', build));
}

/** The path of a built sample (samples/README.md). Throws, with what to do, when it is not built. */
export function samplePath(build: Build, name: string): string {
  const path = join(root, 'samples', 'build', build, name);
  if (!existsSync(path)) throw new Error(`${path} is missing: run node scripts/build-samples.mjs --require`);
  return path;
}

/** The line, from 1, that holds the comment "stop: MARKER" in a file of samples/. */
export function markerLine(source: string, marker: string): number {
  const lines = readFileSync(join(root, 'samples', source), 'utf8').split('\n');
  const found = lines.flatMap((line, i) => (line.includes(`stop: ${marker}`) ? [i + 1] : []));
  const [line] = found;
  if (line === undefined || found.length > 1) {
    throw new Error(`${source} has ${found.length} lines with "stop: ${marker}", not one`);
  }
  return line;
}

interface Options {
  ranks?: number; // default 4
  args?: string[];
  /** More options of the launcher. */
  launcherArgs?: string[];
  /** A command that ends with executing the rest of its arguments: the ranks are started through it. */
  through?: string[];
  /** The interpreter that runs it: the sample is a script. */
  interpreter?: string;
  /** Which build of the sample; default that for the MPI's own binary interface. */
  build?: StandardAbi;
  /** How long all ranks may take to say that they are ready. */
  deadlineMs?: number;
}

/** A job whose ranks have printed their truth and wait outside MPI. End it with finish() or kill(). */
export class SampleJob {
  private constructor(
    readonly launcherPid: number,
    /** Process ids, by rank. */
    readonly pids: number[],
    readonly truth: TruthRecord[],
    /** What each rank still has, of a program that tells. */
    readonly live: LiveHandles[],
    /** What each rank is going to wait in, of a program that tells. */
    readonly blocked: BlockedCall[],
    /** The message queues of each rank, of a program that tells. */
    readonly queues: ToldQueues[],
    private readonly launcher: ChildProcess,
    private readonly output: string[],
  ) {}

  /** Starts one of the samples that take --wait. */
  static async startWaiting(mpi: Mpi, name: string, options: Options = {}): Promise<SampleJob> {
    const { ranks = 4, args = [], launcherArgs = [], through = [], build = mpi, deadlineMs = patienceMs } = options;
    const { interpreter } = options;
    const program = interpreter === undefined ? [samplePath(build, name)] : [interpreter, join(root, 'samples', name)];
    const { command, args: usual, env } = launchers[mpi];
    const directory = mkdtempSync(join(tmpdir(), 'mpidbg-truth-'));
    const launcher = spawn(
      command,
      [...usual, ...launcherArgs, '-n', String(ranks), ...through, ...program, ...args, '--wait'],
      {
        env: { ...process.env, ...env, MPIDBG_TRUTH: directory },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const output: string[] = [];
    try {
      const pids = await waitForRanks(launcher, ranks, output, deadlineMs);
      const truth = readTruthDirectory(directory);
      output.push(...readOwnLines(directory));
      const live = readLiveDirectory(directory);
      const blocked = readBlockedDirectory(directory);
      const queues = readQueuesDirectory(directory);
      if (launcher.pid === undefined) throw new Error(`${command} has no process id`);
      return new SampleJob(launcher.pid, pids, truth, live, blocked, queues, launcher, output);
    } catch (error) {
      launcher.kill('SIGKILL');
      throw new Error(`${command} ${name}: ${(error as Error).message}\n${output.join('\n')}`, { cause: error });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** All lines of the job so far. */
  get printed(): readonly string[] {
    return this.output;
  }

  /** Lets the ranks go on to their end, and answers all lines of the job. Throws when it does not end well. */
  async finish(deadlineMs = patienceMs): Promise<readonly string[]> {
    // Rank 0 last: others may be in MPI_Finalize already, which waits for it.
    for (const pid of this.pids.toReversed()) process.kill(pid, 'SIGUSR1');
    try {
      await this.ended(deadlineMs);
    } catch (error) {
      await this.kill();
      throw error;
    }
    if (this.launcher.exitCode !== 0) {
      throw new Error(`the job ended with status ${this.launcher.exitCode}:\n${this.output.join('\n')}`);
    }
    return this.output;
  }

  /** Ends the job at once; nothing of it is left. */
  async kill(): Promise<void> {
    if (this.launcher.exitCode !== null) return;
    for (const pid of this.pids) killIfThere(pid);
    this.launcher.kill('SIGTERM');
    await this.ended(10_000).catch(() => this.launcher.kill('SIGKILL'));
  }

  private async ended(deadlineMs: number): Promise<void> {
    if (this.launcher.exitCode !== null || this.launcher.signalCode !== null) return;
    await once(this.launcher, 'close', { signal: AbortSignal.timeout(deadlineMs) });
  }
}

/** The process ids by rank, when each rank has said that it waits. `output` takes all lines, for messages. */
function waitForRanks(launcher: ChildProcess, ranks: number, output: string[], deadlineMs: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const pids: number[] = [];
    const deadline = setTimeout(() => reject(new Error(`not all ranks wait after ${deadlineMs} ms`)), deadlineMs);
    const settle = (): void => clearTimeout(deadline);
    const take = (line: string): void => {
      output.push(line);
      const [, json] = /MPIDBG-WAITING (\{.*?\})/.exec(line) ?? [];
      if (json === undefined) return;
      const { rank, pid } = JSON.parse(json) as { rank: number; pid: number };
      pids[rank] = pid;
      if (Object.keys(pids).length === ranks) {
        settle();
        resolve(pids);
      }
    };
    for (const stream of [launcher.stdout, launcher.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', take);
    }
    launcher.once('error', (error) => {
      settle();
      reject(error);
    });
    launcher.once('close', (status) => {
      settle();
      reject(new Error(`it ended with status ${status} before all ranks waited`));
    });
  });
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
