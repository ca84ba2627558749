/** Core files of samples: of ranks that live on (gcore), and of ranks that a signal ends (the kernel's). */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { eventually, parentOf, processState } from './process-state';
import type { SampleJob } from './sample-job';
import { launchers, samplePath, type Mpi } from './sample-job';
import { patienceMs } from './patience';

const run = promisify(execFile);

/** A folder for the core files of one test; `remove` it. */
export class CoreFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'mpidbg-cores-'));

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Writes a core file of each process, which goes on. By index of `pids`. One gdb for all; it needs no symbols. */
  async gcore(pids: readonly number[]): Promise<string[]> {
    const cores = pids.map((pid) => join(this.path, `core.${pid}`));
    const commands = pids.flatMap((pid, i) => [`attach ${pid}`, `gcore ${cores[i]}`, 'detach']);
    const { stdout, stderr } = await run('gdb', [
      ...['-nx', '-batch', '-iex', 'set auto-solib-add off'],
      ...commands.flatMap((command) => ['-ex', command]),
    ]);
    const missing = cores.filter((core) => !existsSync(core));
    if (missing.length > 0) throw new Error(`gcore made no ${missing.join(', ')}:\n${stdout}\n${stderr}`);
    return cores;
  }

  /** Runs a program that dies by itself, without a launcher; answers the core that the kernel wrote. */
  async crashAlone(program: string, args: readonly string[] = []): Promise<string> {
    const folder = mkdtempSync(join(this.path, 'alone-'));
    const restore = writeCoresBesideTheProgram();
    try {
      const command = ['-c', 'ulimit -c unlimited; exec "$@"', 'sh', program, ...args];
      const child = spawn('sh', command, { cwd: folder, stdio: 'ignore' });
      await once(child, 'close', { signal: AbortSignal.timeout(patienceMs) });
    } finally {
      restore();
    }
    const core = coreIn(folder);
    if (core === undefined) throw new Error(`${program} left no core file: see ulimit -c and core_pattern`);
    return core;
  }

  /** Runs a sample to its end, each rank in a folder of its own; answers the cores that the kernel wrote, by rank. */
  async crash(mpi: Mpi, name: string, options: { ranks: number; args?: string[] }): Promise<Map<number, string>> {
    const { command, args, env } = launchers[mpi];
    const restore = writeCoresBesideTheProgram();
    try {
      const ranks = [...this.inFolderOfRank(), samplePath(mpi, name), ...(options.args ?? [])];
      const launcher = spawn(command, [...args, '-n', String(options.ranks), ...ranks], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      await once(launcher, 'close', { signal: AbortSignal.timeout(patienceMs) });
    } finally {
      restore();
    }
    return this.found(name, options.ranks);
  }

  /**
   * Ends all ranks of a job by a signal, at once, where they wait; answers the core that the kernel wrote of each, by
   * rank. The job was started through `inFolderOfRank`. `filter`: coredump_filter of proc(5), default the system's.
   */
  async crashWaiting(
    job: Pick<SampleJob, 'pids' | 'launcherPid' | 'kill'>,
    { signal, filter }: { signal: NodeJS.Signals; filter?: number },
  ): Promise<string[]> {
    const restore = writeCoresBesideTheProgram();
    try {
      if (filter !== undefined) for (const pid of job.pids) writeFileSync(`/proc/${pid}/coredump_filter`, `${filter}`);
      await endAllBy(signal, job);
    } finally {
      await job.kill();
      restore();
    }
    const ranks = job.pids.length;
    const cores = this.found('the job', ranks);
    if (cores.size < ranks) throw new Error(`only ${cores.size} of ${ranks} ranks left a core file`);
    return [...cores.values()];
  }

  /** What a launcher starts in front of the program, so that each rank's core has a folder of its own. */
  inFolderOfRank(): string[] {
    const script = join(this.path, 'in-own-folder.sh');
    writeFileSync(
      script,
      'd=$1/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; shift; mkdir -p "$d"; cd "$d"; ulimit -c unlimited; exec "$@"\n',
    );
    return ['sh', script, this.path];
  }

  /** The cores that the kernel wrote of ranks that were started so. `name`: of the program, for messages. */
  found(name: string, ranks: number): Map<number, string> {
    const found = new Map<number, string>();
    for (let rank = 0; rank < ranks; rank++) {
      const folder = join(this.path, String(rank));
      mkdirSync(folder, { recursive: true });
      const core = coreIn(folder);
      if (core !== undefined) found.set(rank, core);
    }
    if (found.size === 0) throw new Error(`${name} left no core file: see ulimit -c and core_pattern`);
    return found;
  }
}

/** The core that the kernel wrote into a folder in which one process ran: only its beginning is sure of its name. */
function coreIn(folder: string): string | undefined {
  const cores = readdirSync(folder).filter((file) => file.startsWith('core'));
  if (cores.length > 1) throw new Error(`${folder} holds several core files: ${cores.join(', ')}`);
  return cores[0] && join(folder, cores[0]);
}

/** Launchers end the other ranks when the first one dies, which would cut their cores short: they are held meanwhile. */
export async function endAllBy(
  signal: NodeJS.Signals,
  { pids, launcherPid }: { pids: readonly number[]; launcherPid: number },
): Promise<void> {
  const launchersOfRanks = new Set([launcherPid, ...pids.flatMap((pid) => parentOf(pid) ?? [])]);
  for (const pid of launchersOfRanks) process.kill(pid, 'SIGSTOP');
  try {
    for (const pid of pids) process.kill(pid, signal);
    const dumped = (): boolean => pids.every((pid) => processState(pid) === 'Z');
    await eventually(`all ranks end by ${signal}`, dumped);
  } finally {
    for (const pid of launchersOfRanks) process.kill(pid, 'SIGCONT');
  }
}
