/** What a thread that is outside MPI may still do: whether its code calls MPI, and whether it sleeps. */
import type { OutsideMpi } from '../../../plugin-api/hang/position';
import type { Module } from '../../../plugin-api/image';
import { isSystemLibrary } from '../../expressions/frames';
import type { ProcessCode } from '../../expressions/code-modules';
import { LinkedNames } from '../../../plugin-api/processor/code/linked-names';
import { reachableCalls, type LinkedCall } from '../../../plugin-api/processor/code/reachable-calls';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import { cLibraries, isOfCLibrary } from './call-on-stack';
import { moduleAt } from './called-function';
import type { HostClocks } from './host-clocks';
import type { StoppedStack } from './passed-arguments';
import { sleepOf, type KernelThread } from './sleeping-calls';

/** isWhole: nothing lies further out than the last frame. */
export async function outsideMpi(
  stack: StoppedStack & { isWhole: boolean },
  code: ProcessCode,
  clocks: HostClocks | undefined,
  kernel: KernelThread | undefined,
): Promise<OutsideMpi> {
  if (stack.isWhole && isOfCLibrary(stack.frames, code)) return { callsMpi: { kind: 'unknown' }, isOfCLibrary: true };
  const sleep = await sleepOf(stack, code, clocks, kernel);
  return { callsMpi: await callsMpi(stack, code), ...(sleep === undefined ? {} : { sleep }) };
}

/** Nobody waits for them: they tell something, or end the job. */
const harmless =
  /^MPI_(Wtime|Wtick|Initialized|Finalized|Query_thread|Is_thread_main|Get_(library_)?version|Get_processor_name|Comm_(rank|size|get_name)|Error_(string|class)|Abort|Pcontrol)$/;

async function callsMpi(
  { frames, image, isWhole }: StoppedStack & { isWhole: boolean },
  code: ProcessCode,
): Promise<OutsideMpi['callsMpi']> {
  const open: { module: Module; at: bigint }[] = [];
  let isComplete = isWhole;
  for (const frame of frames) {
    const module = frame.address === undefined ? undefined : await moduleAt(image, frame.address);
    if (module === undefined) isComplete = false;
    else if (!isSystemLibrary(module.path, code.mpis)) open.push({ module, at: frame.address! });
    // What a runtime lets the thread do next is not on its stack.
    else if (!cLibraries.test(module.path)) isComplete = false;
  }
  const modules = new Set(open.map(({ module }) => module));
  for (const module of modules) isComplete &&= !(await new LinkedNames(image, module).hasAny(elsewhere));
  const followed = new Set<bigint>();
  let wakes = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (followed.has(next.at)) continue;
    followed.add(next.at);
    if (followed.size > maxFollowed) return { kind: 'unknown' };
    const found = await reachableCalls(image, next.module, next.at);
    isComplete &&= found.isComplete;
    for (const call of found.linked) {
      const kind = kindOf(call, code);
      if (kind === 'mpi') return { kind: 'may', call: nameOfCall(call.name) };
      if (kind === 'unknown') isComplete = false;
      wakes ||= kind === 'nothing' && mayWake.test(call.name);
      if (kind === 'own') open.push({ module: call.module, at: call.address });
    }
  }
  return isComplete ? { kind: 'never', ...(wakes ? { wakes } : {}) } : { kind: 'unknown' };
}

/** Functions that may end the wait of another thread: of the C library, of C++'s (by their mangled names), or of the kernel. */
const mayWake = new RegExp(
  [
    '^(pthread|cnd|mtx|sem|thrd)_\\w*(signal|broadcast|post|unlock|barrier_wait|kill|cancel|queue|exit)',
    '^(tg)?kill|^raise|^sigqueue|^p?write|^send|^eventfd_write|^mq_\\w*send|^msgsnd|^semop|^semtimedop|^syscall$',
    '^timer(fd)?_settime|^u?alarm|^setitimer|^close$|^shutdown$|^connect$|^v?fork$|^system$|^popen$|^posix_spawn',
    '^_ZN.*(notify|unlock)',
  ].join('|'),
);

/**
 * Code of a module that uses these may be run by a thread from where none of its calls leads: at the end of the thread, when it is
 * cancelled, and by a jump to another function.
 */
const elsewhere = [
  ...['pthread_key_create', 'tss_create', '__cxa_thread_atexit', '__pthread_register_cancel'],
  ...['setjmp', '_setjmp', '__sigsetjmp', 'getcontext'],
];

/** Frames, and functions of the program's libraries. */
const maxFollowed = 32;

/** They run functions in other threads or load others: where those are is not followed. */
const starters =
  /^(pthread_create|thrd_create|dlopen|dlsym|dlvsym|makecontext|swapcontext|(sig)?longjmp|__longjmp_chk)$/;

function kindOf({ name, module }: LinkedCall, { mpis }: ProcessCode): 'mpi' | 'own' | 'unknown' | 'nothing' {
  if (isMpiCall(name)) return harmless.test(nameOfCall(name)) ? 'nothing' : 'mpi';
  if (mpis.isMpi(module.path)) return 'mpi';
  if (starters.test(name)) return 'unknown';
  return isSystemLibrary(module.path, mpis) ? 'nothing' : 'own';
}
