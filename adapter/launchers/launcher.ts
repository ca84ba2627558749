/** The launchers that we know: how each is told to start so many ranks here, and how it marks their output. */
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { coreCount } from '../hosts/processor-cores';
import { findExecutable } from './executable-file';
import type { OutputTag } from './rank-output';
import { StartError } from '../job/start-error';

export type LauncherKind = 'openmpi' | 'hydra' | 'slurm' | 'unknown';

export interface Launcher {
  /** Absolute. */
  path: string;
  /**
   * How it is called: by its plain name where PATH leads to it. Open MPI takes a call by path as --prefix, and changes
   * LD_LIBRARY_PATH of every rank.
   */
  command: string;
  kind: LauncherKind;
}

/** The file behind a name or path, and what it is. Rejects with StartError. */
export async function findLauncher(name: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Launcher> {
  const path = findExecutable(name, cwd, env.PATH);
  if (path === undefined) {
    throw new StartError(
      `there is no launcher ${name}: install the MPI that the program is built with, or name its mpirun or mpiexec with "launcher"`,
    );
  }
  const byName = findExecutable(basename(path), cwd, env.PATH);
  return { path, command: byName === path ? basename(path) : path, kind: await kindOf(path) };
}

async function kindOf(path: string): Promise<LauncherKind> {
  const file = basename(await realpath(path).catch(() => path));
  if (/^(orterun|prterun|mpirun\.openmpi)/.test(file)) return 'openmpi';
  if (/^mpiexec\.hydra/.test(file)) return 'hydra';
  if (/^srun/.test(file)) return 'slurm';
  // A script or a binary with a plain name: what it says about itself. A launcher starts nothing with --version.
  const version = await new Promise<string>((done) => {
    execFile(path, ['--version'], { timeout: 5000 }, (_, stdout, stderr) => done(stdout + stderr));
  });
  if (/Open MPI|OpenRTE|PRTE/i.test(version)) return 'openmpi';
  if (/HYDRA|MPICH|Intel\(R\) MPI|MVAPICH/i.test(version)) return 'hydra';
  if (/slurm/i.test(version)) return 'slurm';
  return 'unknown';
}

/** What the launcher itself needs in its environment. */
export function launcherEnvironment(kind: LauncherKind): Record<string, string> {
  if (kind !== 'openmpi' || process.getuid?.() !== 0) return {};
  return {
    OMPI_ALLOW_RUN_AS_ROOT: '1',
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
  };
}

/** What is put before the user's launcher arguments. `forwarded`: names of variables that the ranks must get. */
export async function launcherOptions(
  kind: LauncherKind,
  ranks: number,
  userArgs: readonly string[],
  forwarded: readonly string[],
): Promise<string[]> {
  switch (kind) {
    case 'openmpi': {
      const placed = userArgs.some((arg) => /^--?(oversubscribe|map-by|hostfile|machinefile|host|H)$/.test(arg));
      const more = !placed && ranks > (await coreCount()) ? ['--oversubscribe'] : [];
      return ['--tag-output', ...more, ...forwarded.flatMap((name) => ['-x', name])];
    }
    case 'hydra':
      // Not -prepend-rank: its mark comes in the middle of lines too, where it may be the program's own text.
      return ['-prepend-pattern', '[mpidbg:%r]'];
    case 'slurm':
      return ['--label'];
    case 'unknown':
      return [];
  }
}

export function outputTag(kind: LauncherKind): OutputTag | undefined {
  switch (kind) {
    case 'openmpi':
      return {
        markOrEnd: /\n|\[\d+,(\d+)\]<(?:stdout|stderr|stddiag)>:/g,
        beginning: /\[\d*(?:,\d*(?:\](?:<[a-z]*>?)?)?)?$/,
      };
    case 'hydra':
      return { markOrEnd: /\n|\[mpidbg:(\d+)\]/g, beginning: /\[(?:m|mp|mpi|mpid|mpidb|mpidbg(?::\d*)?)?$/ };
    case 'slurm':
      return { markOrEnd: /\n|(?<=^|\n) *(\d+): /g, beginning: /(?<=^|\n) *\d*:?$/ };
    case 'unknown':
      return undefined;
  }
}
