/** Core files of samples: of ranks that live on (gcore), and of ranks that a signal ends (the kernel's). */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, parentOf, processState } from './process-state';
import { launchers, SampleJob, samplePath, type Mpi } from './sample-job';

const run = promisify(execFile);

/** A folder for the core files of one test; `remove` it. */
export class CoreFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'mpidbg-cores-'));

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Of each process, which goes on. By index of `pids`. */
  async gcore(pids: readonly number[]): Promise<string[]> {
    const cores: string[] = [];
    for (const pid of pids) {
      const core = join(this.path, `core.${pid}`);
      const { stdout, stderr } = await run('gdb', ['-nx', '-batch', '-p', String(pid), '-ex', `gcore ${core}`]);
      if (!existsSync(core)) throw new Error(`gcore of ${pid} made no core file:\n${stdout}\n${stderr}`);
      cores.push(core);
    }
    return cores;
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
      await once(launcher, 'close', { signal: AbortSignal.timeout(60_000) });
    } finally {
      restore();
    }
    return this.found(name, options.ranks);
  }

  /**
   * Runs a sample until all its ranks wait, and ends them there by a signal, all at once; answers what they told, and the
   * core that the kernel wrote of each, by rank. `filter`: coredump_filter of proc(5), default the system's.
   */
  async crashWaiting(
    mpi: Mpi,
    name: string,
    { ranks, signal, filter }: { ranks: number; signal: NodeJS.Signals; filter?: number },
  ): Promise<{ job: SampleJob; cores: string[] }> {
    const restore = writeCoresBesideTheProgram();
    const job = await SampleJob.startWaiting(mpi, name, { ranks, through: this.inFolderOfRank() });
    try {
      if (filter !== undefined) for (const pid of job.pids) writeFileSync(`/proc/${pid}/coredump_filter`, `${filter}`);
      await endAllBy(signal, job);
    } finally {
      await job.kill();
      restore();
    }
    const cores = this.found(name, ranks);
    if (cores.size < ranks) throw new Error(`only ${cores.size} of ${ranks} ranks of ${name} left a core file`);
    return { job, cores: [...cores.values()] };
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
      const core = readdirSync(folder).find((file) => file.startsWith('core'));
      if (core !== undefined) found.set(rank, join(folder, core));
    }
    if (found.size === 0) throw new Error(`${name} left no core file: see ulimit -c and core_pattern`);
    return found;
  }
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
    await eventually(`all ranks end by ${signal}`, dumped, 60_000);
  } finally {
    for (const pid of launchersOfRanks) process.kill(pid, 'SIGCONT');
  }
}

const pattern = '/proc/sys/kernel/core_pattern';

/**
 * core_pattern is the machine's: set only where cores would go elsewhere. Answers what restores it. Throws where it may
 * not be set, as in most containers.
 */
export function writeCoresBesideTheProgram(): () => void {
  const own = readFileSync(pattern, 'utf8').trim();
  if (own.startsWith('core')) return () => undefined;
  try {
    writeFileSync(pattern, 'core');
  } catch (error) {
    throw new Error(
      `${pattern} is "${own}", so that core files go elsewhere, and cannot be set here (${(error as Error).message}):` +
        ` run "echo core > ${pattern}" as root on the host`,
      { cause: error },
    );
  }
  return () => writeFileSync(pattern, own);
}
