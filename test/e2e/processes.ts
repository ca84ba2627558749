import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process that is alive. */
export interface RunningProcess {
  pid: number;
  commandLine: string;
}

/**
 * Waits until no process is left that was started with TMPDIR set to the folder, which all that the VS Code server
 * starts inherit: adapters, gdbs, launchers, ranks.
 * @returns those that are still there at the deadline
 */
export async function processesOutliving(folder: string, deadlineMs: number): Promise<RunningProcess[]> {
  for (const deadline = Date.now() + deadlineMs; ; await delay(50)) {
    const left = processesWithTmpdir(folder);
    if (left.length === 0 || Date.now() > deadline) return left;
  }
}

/** Those that run now. */
export function processesWithTmpdir(folder: string): RunningProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(`TMPDIR=${folder}`)) return [];
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return commandLine === '' ? [] : [{ pid: Number(name), commandLine }];
    } catch {
      return []; // Ended meanwhile, or another user's.
    }
  });
}
