import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** A running MPI launcher of this machine. */
export interface LauncherProcess {
  pid: number;
  commandLine: string;
}

/** The place of the start time in /proc/PID/stat, counted from the field behind the state. */
const fieldOfStart = 18;

const launcherName = /^(mpirun|mpiexec|orterun|prterun|prun|srun|aprun|jsrun)\b/;

interface StartedLauncher extends LauncherProcess {
  /** In clock ticks since the machine was started. */
  startTime: number;
}

/** The living MPI launchers that the user may attach to, newest first. Root sees those of all users. */
export async function findLaunchers(proc = '/proc'): Promise<LauncherProcess[]> {
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => asLauncher(proc, pid)));
  return found
    .filter((launcher) => launcher !== undefined)
    .sort((a, b) => b.startTime - a.startTime)
    .map(({ pid, commandLine }) => ({ pid, commandLine }));
}

async function asLauncher(proc: string, pid: number): Promise<StartedLauncher | undefined> {
  try {
    const folder = path.join(proc, String(pid));
    const [name, commandLine, status, { uid }] = await Promise.all([
      readFile(path.join(folder, 'comm'), 'utf8'),
      readFile(path.join(folder, 'cmdline'), 'utf8'),
      readFile(path.join(folder, 'stat'), 'utf8'),
      stat(folder),
    ]);
    const me = process.getuid?.();
    if (!launcherName.test(name) || (me !== 0 && me !== uid)) return undefined;
    // The name, which is in brackets, can hold anything.
    const [state, ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, commandLine: commandLine.split('\0').join(' ').trim(), startTime: Number(fields[fieldOfStart]) };
  } catch {
    return undefined; // It has ended meanwhile, or it is hidden from the user.
  }
}
