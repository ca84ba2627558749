/**
 * Lets processes vfork without gdb. When a process with several threads does (system, popen, posix_spawn), gdb 13 to 18
 * stops its other threads, and loses every event of its other inferiors that comes meanwhile: their threads hang for
 * ever. Two ranks that call system() at the same time are enough. gdb sees forks still: it takes the breakpoints out of
 * the child.
 */
import type { GdbThreadGroup } from '../mi/context';
import { NoPythonError, runPython } from './run-python';

// Only the tracer may set the options, and only those of a stopped thread; new threads and programs inherit them. These
// are the ones that gdb sets, without PTRACE_O_TRACEVFORK and PTRACE_O_TRACEVFORKDONE.
const script = (inferior: string): string => `
import ctypes, gdb
def _mpidbg_without_vforks(number):
    PTRACE_SETOPTIONS = 0x4200
    TRACESYSGOOD, TRACEFORK, TRACECLONE, TRACEEXEC = 0x1, 0x2, 0x8, 0x10
    ptrace = ctypes.CDLL(None).ptrace
    ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    for inferior in gdb.inferiors():
        if inferior.num == number:
            for thread in inferior.threads():
                ptrace(PTRACE_SETOPTIONS, thread.ptid[1], None, TRACESYSGOOD | TRACEFORK | TRACECLONE | TRACEEXEC)
_mpidbg_without_vforks(${inferior})
`;

/** Call it while all threads of the process are stopped. Does nothing if this gdb has no Python. */
export async function ignoreVforks({ gdb, threadGroup }: GdbThreadGroup): Promise<void> {
  try {
    await runPython(gdb, script(threadGroup.slice(1)));
  } catch (error) {
    if (!(error instanceof NoPythonError)) throw error;
  }
}
