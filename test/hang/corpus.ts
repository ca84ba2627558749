/** Runs the programs of the corpus, and asks mpidbg why they hang. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { CoreFolder } from '../support/core-files';
import { eventually, hasEnded, processState, tracerOf } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { killIfThere, launchers, type Mpi } from '../support/sample-job';
import type { HangCase } from './hang-case';
import { patienceMs } from '../support/patience';

const run = promisify(execFile);
const sources = join(__dirname, 'programs');
const compilers: Record<string, string> = { c: 'mpicc', cpp: 'mpicxx', f90: 'mpifort' };
const programs = [
  ...[
    'messages.c',
    'collectives.c',
    'mismatched.c',
    'others.c',
    'threads.c',
    'leaving-thread.c',
    'goes-on.c',
    'steps.c',
  ],
  ...['everyday.c', 'own-locks.c', 'windows.c'],
  ...['in-fortran.f90', 'in-cxx.cpp', 'causes.cpp'],
];
/** Without debug information, as libraries are installed. */
const library = 'store-library.c';
const ranks = 4;

/** The compiled programs of one MPI. */
export class Corpus {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-hang-'));

  constructor(readonly mpi: Mpi) {}

  /** `wanted`: the programs that it may start. */
  async compile(wanted: readonly string[]): Promise<void> {
    const compile = async (source: string): Promise<void> => {
      const [name = '', language = ''] = source.split('.');
      const options = [
        '-g',
        '-O1',
        '-w',
        '-fopenmp',
        '-o',
        join(this.folder, name),
        join(sources, source),
        ...['-lpthread', `-L${this.folder}`, '-Wl,--as-needed', '-lstore', `-Wl,-rpath,${this.folder}`],
      ];
      await run(`${compilers[language]}.${this.mpi}`, options);
    };
    const ownLibrary = join(this.folder, 'libstore.so');
    await run(`mpicc.${this.mpi}`, ['-O1', '-shared', '-fPIC', '-o', ownLibrary, join(sources, library)]);
    await Promise.all(programs.filter((source) => wanted.includes(source.replace(/\.\w+$/, ''))).map(compile));
  }

  start({ program, args }: HangCase, launcherArgs: readonly string[] = []): Promise<HangJob> {
    return HangJob.start(this.mpi, [join(this.folder, program), ...args], launcherArgs);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** When a rank has come to where it hangs nobody tells: until then the job goes on. */
const maxQuestions = 3;

export class HangJob {
  private constructor(
    private readonly launcher: ChildProcess,
    private readonly pids: readonly number[],
  ) {}

  static async start(mpi: Mpi, command: readonly string[], launcherArgs: readonly string[]): Promise<HangJob> {
    const { command: launcher, args, env } = launchers[mpi];
    const child = spawn(launcher, [...args, ...launcherArgs, '-n', String(ranks), ...command], {
      env: { ...process.env, ...env, OMPI_MCA_mpi_yield_when_idle: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pids: number[] = [];
    const lines: string[] = [];
    const deadline = AbortSignal.timeout(patienceMs);
    try {
      await new Promise<void>((resolve, reject) => {
        deadline.addEventListener('abort', () => reject(new Error('not all ranks begin')));
        child.once('error', reject);
        child.once('close', (status) => reject(new Error(`it ended with status ${status}`)));
        createInterface({ input: child.stderr }).on('line', (line) => {
          lines.push(line);
          for (const [, rank, pid] of line.matchAll(/rank (\d+) begins: (\d+)/g)) pids[Number(rank)] = Number(pid);
          if (Object.keys(pids).length === ranks) resolve();
        });
      });
    } catch (error) {
      child.kill('SIGTERM');
      throw new Error(`${command.join(' ')}: ${(error as Error).message}\n${lines.join('\n')}`, { cause: error });
    }
    return new HangJob(child, pids);
  }

  /** For a job that hangs: its ranks spin while they wait, and would take the processors from all other tests. */
  giveWay(): void {
    for (const pid of this.pids) if (!hasEnded(pid)) setPriority(pid, 10);
  }

  async ask(options: readonly string[] = []): Promise<HangDocument> {
    if (this.launcher.exitCode !== null || this.launcher.signalCode !== null)
      throw new Error('the job has ended by itself');
    return hangOf(['--launcher', String(this.launcher.pid), ...options]);
  }

  /** The rank stays as it was; the others go on until they wait for it. */
  async askWhileStopped(rank: number): Promise<HangDocument> {
    const pid = this.pids[rank]!;
    process.kill(pid, 'SIGSTOP');
    await eventually('it is stopped', () => processState(pid) === 'T');
    let document = await this.ask();
    for (let question = 1; document.verdict === 'progress' && question < maxQuestions; question++)
      document = await this.ask();
    await eventually('it is stopped again', () => processState(pid) === 'T' && tracerOf(pid) === 0);
    return document;
  }

  async askUntil(verdict: HangDocument['verdict'], options: readonly string[] = []): Promise<HangDocument> {
    for (let question = 1; ; question++) {
      const document = await this.ask(options);
      if (document.verdict === verdict || question === maxQuestions) return document;
    }
  }

  async askCores(options: readonly string[] = []): Promise<HangDocument> {
    const folder = new CoreFolder();
    try {
      return await hangOf(['--core', ...(await folder.gcore(this.pids)), ...options]);
    } finally {
      folder.remove();
    }
  }

  async kill(): Promise<void> {
    for (const pid of this.pids) killIfThere(pid);
    if (this.launcher.exitCode !== null || this.launcher.signalCode !== null) return;
    this.launcher.kill('SIGTERM');
    const killed = setTimeout(() => this.launcher.kill('SIGKILL'), 10_000);
    await once(this.launcher, 'close');
    clearTimeout(killed);
  }
}

async function hangOf(target: readonly string[]): Promise<HangDocument> {
  const { stdout, stderr } = await runCli(['hang', ...target, '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as HangDocument;
}

/** Works on at most so many at once. */
export async function eachOf<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
