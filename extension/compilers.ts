/** The wrappers of compilers (mpicc, mpicxx, mpifort) of the MPI that a program is linked with, or whose launcher is set. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { LauncherFacts } from '../plugin-api/mpi/facts';
import { shippedMpis } from '../plugin-api/plugins/shipped';
import { chooseLauncher } from '../adapter/launchers/choose-launcher';
import { findExecutable } from '../adapter/hosts/executables';

/** What tells which MPI is meant. */
export interface MeantMpi {
  /** As it was built before; absolute. */
  program?: string | undefined;
  /** As it is set: a path, or a name in PATH. */
  launcher?: string | undefined;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * `mpicc.mpich` for `mpicc` where a program of MPICH would be built with another MPI's mpicc: the one in the folder of its launcher. The
 * plain name where that is the same, or nothing tells which MPI is meant.
 */
export async function compilerOf(plain: string, meant: MeantMpi): Promise<string> {
  const found = await launcherOf(meant);
  if (found === undefined) return plain;
  const folder = path.dirname(found.launcher);
  const names = [...found.suffixes.map((suffix) => `${plain}${suffix}`), plain];
  const file = names
    .map((name) => findExecutable(path.join(folder, name), meant.cwd, undefined))
    .find((each) => each !== undefined);
  if (file === undefined || isSame(file, inPath(plain, meant))) return plain;
  return inPath(path.basename(file), meant) === file ? path.basename(file) : file;
}

/** Where it lies, and what stands behind the names of what belongs to it. */
async function launcherOf(meant: MeantMpi): Promise<{ launcher: string; suffixes: readonly string[] } | undefined> {
  const { program, launcher, cwd, env } = meant;
  const named = launcher === undefined ? undefined : findExecutable(launcher, cwd, env['PATH']);
  const [known, another] = shippedMpis.all
    .flatMap(({ launchers = [] }) => launchers)
    .filter(({ names }) => named !== undefined && names.includes(path.basename(named)));
  if (named !== undefined && known !== undefined && another === undefined)
    return { launcher: named, suffixes: suffixesOf([known]) };
  // What is wrong with the program is told when it is started.
  const programs = program === undefined ? [] : [program];
  const choice = await chooseLauncher({ programs, launcher: undefined, cwd, env }).catch(() => undefined);
  if (choice?.mpi === undefined) return named === undefined ? undefined : { launcher: named, suffixes: [] };
  const { launchers = [] } = shippedMpis.all.find(({ name }) => name === choice.mpi?.name) ?? {};
  return { launcher: choice.launcher, suffixes: suffixesOf(launchers) };
}

/** ".mpich", of `mpiexec.mpich`. */
function suffixesOf(launchers: readonly LauncherFacts[]): string[] {
  return launchers.flatMap(({ names }) => names.map((name) => path.extname(name))).filter((suffix) => suffix !== '');
}

function inPath(name: string, { cwd, env }: MeantMpi): string | undefined {
  return findExecutable(name, cwd, env['PATH']);
}

function isSame(file: string, other: string | undefined): boolean {
  return other !== undefined && realpathSync(file) === realpathSync(other);
}
