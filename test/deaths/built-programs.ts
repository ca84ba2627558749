/** Builds and runs programs that die, with the library and without it. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { deathsEnvironment } from './deaths-environment';
import { patienceMs } from '../support/patience';
import { cli } from '../support/run-cli';
import { launchers, type Mpi } from '../support/sample-job';
import { deathCases, type DeathCase, programs } from './death-case';

const compilers: Record<string, { name: string; options: readonly string[] }> = {
  '.c': { name: 'mpicc', options: ['-pthread', '-w'] },
  '.cpp': { name: 'mpicxx', options: ['-pthread'] },
  '.f90': { name: 'mpifort', options: ['-fcheck=all'] },
};

const ownOptions: Readonly<Record<string, readonly string[]>> = {
  'sanitizers.c': ['-fsanitize=address,signed-integer-overflow', '-fno-sanitize-recover=all'],
  'loop.c': ['-fopenmp'],
  'optimised.cpp': ['-O2'],
  'no-mpi.c': ['-Wl,--as-needed'],
};

/** A busy machine may need longer to look at the ranks than a user would wait. */
const patient = ['--hold-dying', '60'];

/** What can be seen of a run from outside. */
export interface Seen {
  status: number | null;
  signal: NodeJS.Signals | null;
  /** The lines of both streams, sorted: they are read independently. Numbers that differ from run to run are taken out. */
  lines: readonly string[];
}

export class DyingPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-deaths-'));

  constructor(readonly mpi: Mpi) {}

  async build(): Promise<void> {
    const sources = [...new Set(deathCases.map(({ program }) => program))];
    const compile = async (source: string): Promise<void> => {
      const { name, options } = compilers[extname(source)]!;
      const output = ['-g', '-O0', '-o', this.path(source), join(programs, source)];
      await promisify(execFile)(`${name}.${this.mpi}`, [...output, ...options, ...(ownOptions[source] ?? [])]);
    };
    await Promise.all(sources.map(compile));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  socketPath(name: string): string {
    return join(this.folder, `${name}.socket`);
  }

  /** Alone, as rank 1 by its environment; or by a launcher, where it is the second of two. socket: with the library. */
  async run({ program, how }: DeathCase, by: 'itself' | 'launcher', socket?: string, seconds = 10): Promise<Seen> {
    const { command, args, env } = launchers[this.mpi];
    const own = [this.path(program), how];
    const words = by === 'itself' ? own : [command, ...args, '-n', '2', ...own];
    const ranks =
      by === 'launcher' ? {} : { openmpi: { OMPI_COMM_WORLD_RANK: '1' }, mpich: { PMI_RANK: '1' } }[this.mpi];
    const library = socket === undefined ? {} : deathsEnvironment({ socket, seconds }, process.env);
    // A process alone needs no daemon of Open MPI's, but without one all of them share a folder for their files.
    const alone =
      by === 'launcher'
        ? {}
        : { OMPI_MCA_ess_singleton_isolated: '1', OMPI_MCA_orte_tmpdir_base: mkdtempSync(join(this.folder, 'alone-')) };
    const environment = { ...process.env, ...env, ...alone, ...ranks, ...library };
    const child = spawn(words[0]!, words.slice(1), {
      ...{ env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs, killSignal: 'SIGKILL' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += String(part)));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status, signal) => {
        resolve({ status, signal, lines: withoutChance(output).split('\n').toSorted() });
      });
    });
  }

  /** By `mpidbg run` and the launcher, on two ranks: what mpidbg says, in its order, from the last line that begins with `first` on. */
  async runByMpidbg(
    { program, how }: DeathCase,
    options: readonly string[],
    first = 'mpidbg: ',
  ): Promise<Omit<Seen, 'signal'>> {
    const { command, args, env } = launchers[this.mpi];
    const words = [cli, 'run', ...patient, ...options, '--', command, ...args, '-n', '2', this.path(program), how];
    const child = spawn(process.execPath, words, {
      ...{ env: { ...process.env, ...env }, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] },
      ...{ timeout: patienceMs, killSignal: 'SIGKILL' },
    });
    let output = '';
    child.stderr.on('data', (part: Buffer) => (output += String(part)));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => {
        const own = output.lastIndexOf(first);
        resolve({ status, lines: own < 0 ? [] : output.slice(own).trimEnd().split('\n') });
      });
    });
  }

  private path(source: string): string {
    return join(this.folder, basename(source, extname(source)));
  }
}

/** Addresses, processes, what lies around in memory, MPICH's codes and names of scratch files. */
export function withoutChance(output: string): string {
  return output
    .replace(/0x[0-9a-f]+/g, '0x')
    .replace(/\[[^\s\]:]+:[ \d]+(:\d+:\d+)?\]/g, '[host:pid]')
    .replace(/(tid:|PID) *\d+/g, '$1')
    .replace(/==\d+==/g, '==pid==')
    .replace(/^(=>|  )0x: .*\n/gm, '')
    .replace(/Abort\((MPI_COMM_WORLD, \d{5})?\d+/g, 'Abort(')
    .replace(/(by process|Process name:) \[.*/g, '$1')
    .replace(/gfortrantmp\w+/g, 'gfortrantmp');
}
