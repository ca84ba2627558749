/** What /proc tells of a process, for tests that check what the debugger leaves behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { patienceMs } from './patience';

/** "R", "S", "T" (stopped), "t" (traced), …; undefined when it has ended. */
export function processState(pid: number): string | undefined {
  return statusField(pid, 'State');
}

/** Nothing of it runs any more; its parent may be slow to ask how it ended (then it is a zombie, "Z"). */
export function hasEnded(pid: number): boolean {
  return ['Z', undefined].includes(processState(pid));
}

/** The process that traces it; 0 for none, undefined when it has ended. */
export function tracerOf(pid: number): number | undefined {
  const tracer = statusField(pid, 'TracerPid');
  return tracer === undefined ? undefined : Number(tracer);
}

/** It waits, and nobody traces it. */
export function isFree(pid: number): boolean {
  return processState(pid) === 'S' && tracerOf(pid) === 0;
}

/** undefined when it has ended. */
export function parentOf(pid: number): number | undefined {
  const parent = statusField(pid, 'PPid');
  return parent === undefined ? undefined : Number(parent);
}

/** Command lines of the living processes that were started with this variable. */
export function processesWith(variable: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!environment.includes(variable)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')}`];
      } catch {
        return []; // it ended meanwhile
      }
    });
}

/** Polls until the condition holds. Throws, naming what was waited for, after the deadline. */
export async function eventually(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  deadlineMs = patienceMs,
): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${typeof what === 'string' ? what : what()}`);
    await pause(20);
  }
}

function statusField(pid: number, field: string): string | undefined {
  try {
    return new RegExp(`^${field}:\\s*(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}
