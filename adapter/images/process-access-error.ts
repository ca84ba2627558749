/** A process that cannot be read at all, and what its user can do about it. */
import { readFileSync, statSync } from 'node:fs';
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

/** What an error of the file system in /proc/PID means; anything else is passed on unchanged. */
export function explainProcessError(pid: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ESRCH') return processExited(pid);
  if (code === 'EACCES' || code === 'EPERM') return new ProcessAccessError(pid, 'forbidden', forbiddenReason(pid));
  return error;
}

function forbiddenReason(pid: number): string {
  const prefix = `the memory of process ${pid} may not be read`;
  const owner = ownerOf(pid);
  if (owner !== undefined && process.getuid?.() !== 0 && owner !== process.getuid?.()) {
    return `${prefix}: it belongs to another user (uid ${owner}); run the debugger as that user`;
  }
  if (ptraceScope() > 0) {
    return `${prefix}: the kernel forbids it; allow it with "sudo sysctl kernel.yama.ptrace_scope=0"`;
  }
  return `${prefix}: the kernel forbids it; a container needs --cap-add=SYS_PTRACE, and a set-uid program cannot be debugged`;
}

/** The real user of the process: the /proc directory of one that is not dumpable belongs to root. */
function ownerOf(pid: number): number | undefined {
  try {
    const real = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return real === undefined ? statSync(`/proc/${pid}`).uid : Number(real);
  } catch {
    return undefined;
  }
}

/** 0 where the kernel has no such setting. */
function ptraceScope(): number {
  try {
    return Number(readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'latin1'));
  } catch {
    return 0;
  }
}
