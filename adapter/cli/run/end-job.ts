/** Ends a launcher, and what it leaves behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { inTime, realClock } from '../../job/clock';
import { descendants } from '../../hosts/descendants';
import type { UserLauncher } from './user-launcher';

/** A launcher needs some seconds to end ranks that do not hear its first signal. */
const endTimeout = 10_000;

/** Resolves when nothing on this host is left of the job. */
export async function endJob(launcher: UserLauncher): Promise<void> {
  if (launcher.pid === undefined) return;
  const below = await processesBelow(launcher.pid);
  launcher.signal('SIGTERM');
  await inTime(realClock, launcher.ended, endTimeout);
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    const left = await stillThere(below);
    await Promise.all(left.map(({ process }) => process.signal(name)));
    const end = realClock.now() + endTimeout / 2;
    while ((await stillThere(left)).length > 0 && realClock.now() < end) await sleep(50);
  }
  launcher.signal('SIGKILL');
  await launcher.ended;
}

interface Living {
  process: HostProcess;
  startTime: string;
}

async function processesBelow(launcher: number): Promise<Living[]> {
  const found = await descendants(localHost, launcher);
  const processes = found.map(({ pid }) => new HostProcess(localHost, pid));
  const lives = await localHost.lives(found.map(({ pid }) => pid));
  return processes.flatMap((process, index) => {
    const startTime = lives[index]?.startTime;
    return startTime === undefined ? [] : [{ process, startTime }];
  });
}

async function stillThere(processes: readonly Living[]): Promise<Living[]> {
  const lives = await localHost.lives(processes.map(({ process }) => process.pid));
  return processes.filter(({ startTime }, index) => {
    const life = lives[index];
    return life !== undefined && life.startTime === startTime && life.endStatus === undefined;
  });
}
