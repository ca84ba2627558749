/** Signals in words. */

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

/** siginfo.h, the codes that programs meet: the kernel's own reasons, all above 0. */
const reasons: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  SIGSEGV: {
    1: 'nothing is mapped there',
    2: 'the mapping does not allow it',
    128: 'an address that cannot exist, or that is not aligned',
  },
  SIGBUS: { 1: 'not aligned', 2: 'no such memory', 3: 'hardware error' },
  SIGFPE: {
    1: 'integer division by zero, or of the least number by -1',
    2: 'integer overflow',
    3: 'division by zero',
    4: 'overflow',
    5: 'underflow',
    6: 'inexact result',
    7: 'invalid operation',
  },
  SIGILL: { 1: 'illegal opcode', 2: 'illegal operand', 5: 'privileged opcode' },
  SIGXCPU: { 128: 'its processor time is used up: ulimit -t' },
  SIGALRM: { 128: 'the time of its alarm() or timer is up' },
  SIGVTALRM: { 128: 'the time of its timer is up' },
  SIGPROF: { 128: 'the time of its timer is up' },
};

/** signal(7): Linux's names of 1 to 31, on the processors that mpidbg knows. */
const names =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'.split(
    ' ',
  );

/** "SIGSEGV", "Segmentation fault"; "" where there is no common word for it. */
export function signalOf(number: number): { name: string; meaning: string } {
  const known = names[number - 1];
  const name = known === undefined ? `signal ${number}` : `SIG${known}`;
  return { name, meaning: meanings[name] ?? '' };
}

/** "nothing is mapped there"; undefined for a signal that a process sent, and for what is not known. */
export function signalReason(name: string, code: number): string | undefined {
  return reasons[name]?.[code];
}

/** Signals that an instruction of the program causes. */
export function isFault(name: string): boolean {
  return ['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL'].includes(name);
}

/** True for signals of which the kernel tells an address. */
export function hasAddress(name: string, code: number): boolean {
  return code > 0 && code < 128 && isFault(name);
}

/** " at address 0x0 (nothing is mapped there)", ", sent by process 4711": what follows the signal's meaning in a process. */
export function signalDetails(
  name: string,
  { code, address, sender }: { code: number; address: bigint; sender: number },
  pid: number | undefined,
): string {
  if (code <= 0) return sender === pid ? ', raised by the program itself' : `, sent by process ${sender}`;
  const why = signalReason(name, code);
  const at = hasAddress(name, code) ? ` at address 0x${address.toString(16)}` : '';
  return `${at}${why === undefined ? '' : ` (${why})`}`;
}
