/** The launcher of a launch: which one it is, and its options to start so many ranks here. */
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import type { LauncherFacts, LaunchRequest } from '../../plugin-api/mpi/facts';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { coreCount } from '../hosts/processor-cores';
import { findExecutable } from '../hosts/executables';
import { launcherAt } from './launcher-files';
import { LaunchError } from '../job/start-error';

export interface Launcher {
  /** Absolute. */
  path: string;
  /**
   * How it is called: by its plain name where PATH leads to it. Open MPI takes a call by path as --prefix, and changes
   * LD_LIBRARY_PATH of every rank.
   */
  command: string;
  /** undefined: it is not known. */
  facts: LauncherFacts | undefined;
}

/** The file behind a name or path, and what it is. Rejects with LaunchError. */
export async function findLauncher(
  name: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  mpis: KnownMpis,
): Promise<Launcher> {
  const path = findExecutable(name, cwd, env.PATH);
  if (path === undefined)
    throw new LaunchError(`there is no launcher ${name}`, { kind: 'correctLauncher', package: undefined });
  const byName = findExecutable(basename(path), cwd, env.PATH);
  const facts = (await launcherAt(path, mpis))?.facts ?? (await byVersion(path, mpis));
  return { path, command: byName === path ? basename(path) : path, facts };
}

/** Asks it with --version, which starts nothing. */
async function byVersion(path: string, { launchers }: KnownMpis): Promise<LauncherFacts | undefined> {
  const said = await new Promise<string>((done) => {
    execFile(path, ['--version'], { timeout: 5000 }, (_, stdout, stderr) => done(stdout + stderr));
  });
  return launchers.find(({ facts }) => facts.version?.test(said))?.facts;
}

/** What the launcher itself needs in its environment. */
export function launcherEnvironment({ facts }: Launcher): Readonly<Record<string, string>> {
  return (process.getuid?.() === 0 ? facts?.rootEnvironment : undefined) ?? {};
}

/** What is put before each program, so that its ranks get these variables. */
export function forwardOptions({ facts }: Launcher, names: readonly string[]): string[] {
  return facts?.forward?.(names) ?? [];
}

/** What is put before the user's launcher arguments so that the launcher starts so many ranks here. */
export async function launcherOptions({ facts }: Launcher, request: Omit<LaunchRequest, 'cores'>): Promise<string[]> {
  return facts?.options?.({ ...request, cores: await coreCount() }) ?? [];
}
