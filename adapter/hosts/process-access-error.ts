/** A process that cannot be read at all, and what its user can do about it. */
import { orShortage } from '../elf/shortage-error';
import { QueryError } from '../../plugin-api/result';

export class ProcessAccessError extends QueryError {
  constructor(
    readonly pid: number,
    readonly why: 'exited' | 'forbidden',
    reason: string,
  ) {
    super('MPIDBG_ERR_UNAVAILABLE', reason);
  }
}

export function processExited(pid: number): ProcessAccessError {
  return new ProcessAccessError(pid, 'exited', `process ${pid} has exited`);
}

/** What an error of the file system in /proc/PID means; anything else is passed on, a shortage as ShortageError. */
export function explainProcessError(pid: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ESRCH') return processExited(pid);
  if (code === 'EACCES' || code === 'EPERM') return processForbidden(pid);
  return orShortage(error);
}

function processForbidden(pid: number): ProcessAccessError {
  const how =
    'run mpidbg as its user, and allow it with "sudo sysctl kernel.yama.ptrace_scope=0"' +
    ' or, for a container, with --cap-add=SYS_PTRACE';
  return new ProcessAccessError(pid, 'forbidden', `the kernel forbids reading the memory of process ${pid}: ${how}`);
}
