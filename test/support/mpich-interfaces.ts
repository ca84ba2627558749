/** The installed MPICH: its version, and how many communication interfaces (VCIs) it can have. */
import { execFileSync } from 'node:child_process';
import { compareVersions } from '../../plugin-api/mpi/versioned-tables';
import { launchers } from './sample-job';

/** "4.0.2", as its launcher tells it. */
export function mpichVersion(): string {
  const told = execFileSync(launchers.mpich.command, ['--version'], { encoding: 'utf8' });
  const version = /^\s*Version:\s*(\S+)/m.exec(told)?.[1];
  if (version === undefined) throw new Error(`${launchers.mpich.command} --version tells no version:\n${told}`);
  return version;
}

/** Until 4.0, MPICH was built for one interface unless its builder wanted more; it ends a program that wants more than it has. */
export function severalInterfaces(wanted: number): { count: number; launcherArgs: string[] } {
  const count = compareVersions(mpichVersion(), '4.1') < 0 ? 1 : wanted;
  return { count, launcherArgs: ['-genv', 'MPIR_CVAR_CH4_NUM_VCIS', String(count)] };
}
