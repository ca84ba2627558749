/** What the signal of a core file means. */
import { constants } from 'node:os';
import type { CoreFile } from '../images/core-file';
import type { ThreadStop } from '../job/rank';

const meanings: Readonly<Record<string, string>> = {
  SIGSEGV: 'Segmentation fault',
  SIGABRT: 'Aborted',
  SIGBUS: 'Bus error',
  SIGFPE: 'Arithmetic exception',
  SIGILL: 'Illegal instruction',
  SIGTRAP: 'Trace/breakpoint trap',
  SIGSYS: 'Bad system call',
  SIGQUIT: 'Quit',
  SIGTERM: 'Terminated',
  SIGXCPU: 'CPU time limit exceeded',
  SIGXFSZ: 'File size limit exceeded',
};

/** The signal that ended the process; undefined for a core of a process that lived on (gcore). */
export function signalOfCore({ threads, signal }: CoreFile): { name: string; meaning: string } | undefined {
  const number = threads[0]?.signal || (signal?.number ?? 0);
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  if (number === 0 || number === constants.signals.SIGSTOP) return undefined;
  return { name: name ?? `signal ${number}`, meaning: meanings[name ?? ''] ?? '' };
}

export function coreStop(core: CoreFile): ThreadStop {
  const signal = signalOfCore(core);
  if (signal === undefined) return { reason: 'attach', breakpoints: [] };
  return { reason: 'signal', breakpoints: [], signal };
}
