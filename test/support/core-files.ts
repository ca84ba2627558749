/** Core files of samples: of ranks that live on (gcore), and of ranks that a signal ends (the kernel's). */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchers, samplePath, type Mpi } from './sample-job';

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
    const script = join(this.path, 'in-own-folder.sh');
    writeFileSync(
      script,
      'd=$1/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; shift; mkdir -p "$d"; cd "$d"; ulimit -c unlimited; exec "$@"\n',
    );
    const restore = writeCoresBesideTheProgram();
    try {
      const launcher = spawn(
        command,
        [...args, '-n', String(options.ranks), 'sh', script, this.path, samplePath(mpi, name), ...(options.args ?? [])],
        { env: { ...process.env, ...env }, stdio: 'ignore' },
      );
      await once(launcher, 'close', { signal: AbortSignal.timeout(60_000) });
    } finally {
      restore();
    }
    const found = new Map<number, string>();
    for (let rank = 0; rank < options.ranks; rank++) {
      const folder = join(this.path, String(rank));
      mkdirSync(folder, { recursive: true });
      const core = readdirSync(folder).find((file) => file.startsWith('core'));
      if (core !== undefined) found.set(rank, join(folder, core));
    }
    if (found.size === 0) throw new Error(`${name} under ${mpi} left no core file: see ulimit -c and core_pattern`);
    return found;
  }
}

const pattern = '/proc/sys/kernel/core_pattern';

/** core_pattern is the machine's: set only where cores would go elsewhere. Answers what restores it. */
function writeCoresBesideTheProgram(): () => void {
  const own = readFileSync(pattern, 'utf8').trim();
  if (own.startsWith('core')) return () => undefined;
  writeFileSync(pattern, 'core');
  return () => writeFileSync(pattern, own);
}
