/** Calls in which a thread waits for what nothing of MPI does, and for how long. */
import type { Sleep } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import type { Registers } from '../../../plugin-api/processor/registers';
import type { ProcessCode } from '../../expressions/code-modules';
import type { HostProcess } from '../../hosts/host-process';
import { usualProcessor } from '../../../plugin-api/processor/known/processors';
import type { HostClocks } from './host-clocks';
import { isAfterSystemCall } from '../system-calls/after-system-call';
import { cLibraryName } from '../system-calls/c-library-name';
import { timeAt } from '../system-calls/time-at';
import { limitOfDescriptors, soonest } from './awaited-descriptors';
import { descriptorsOf, type Descriptors } from './passed-descriptors';
import { calledOfCLibrary } from './own-thread-waits';
import type { StoppedStack } from './passed-arguments';

/** The thread of a process whose kernel can be asked; undefined for a core file. */
export interface KernelThread {
  process: HostProcess;
  tid: number;
}

/** Where a system call has its time limit. */
type Limit =
  | { kind: 'none' | 'unknown' | 'nanosleep' | 'futex' }
  /** Milliseconds as an argument, counted from 0; a negative number is none. */
  | { kind: 'milliseconds'; at: number }
  /** The address of a timespec as an argument, or NULL for none. */
  | { kind: 'time'; at: number };

interface Sleeping {
  limit: Limit;
  descriptors?: Descriptors;
}

const reads: Sleeping = { limit: { kind: 'none' }, descriptors: 'first' };
const connects: Sleeping = { limit: { kind: 'none' } };
/** Signals, children, locks and queues that processes share: others than the threads of this one end it. */
const byOthers: Sleeping = { limit: { kind: 'unknown' } };
const ofFutex: Sleeping = { limit: { kind: 'futex' } };
const polls: Record<'poll' | 'epoll' | 'epollUntil' | 'ppoll' | 'select', Sleeping> = {
  poll: { limit: { kind: 'milliseconds', at: 2 }, descriptors: 'polled' },
  epoll: { limit: { kind: 'milliseconds', at: 3 }, descriptors: 'first' },
  epollUntil: { limit: { kind: 'time', at: 3 }, descriptors: 'first' },
  ppoll: { limit: { kind: 'time', at: 2 }, descriptors: 'polled' },
  // glibc makes pselect6 of select.
  select: { limit: { kind: 'time', at: 4 }, descriptors: 'selected' },
};

/** By the system call, or the function that was called, as glibc's makes its system call. */
const sleeping: readonly (readonly [RegExp, Sleeping])[] = [
  [/^((clock_)?nanosleep|u?sleep|thrd_sleep)$/, { limit: { kind: 'nanosleep' } }],
  [/^poll$/, polls.poll],
  [/^epoll_p?wait$/, polls.epoll],
  [/^epoll_pwait2$/, polls.epollUntil],
  [/^ppoll$/, polls.ppoll],
  [/^(pselect6?|select)$/, polls.select],
  [/^futex$/, ofFutex],
  [/^(pthread_cond_(timed|clock)?wait|cnd_(timed)?wait|sem_(timed|clock)?wait)$/, ofFutex],
  [/^(pthread_(mutex|rwlock_rd|rwlock_wr)_?(timed|clock)?lock|pthread_barrier_wait)$/, ofFutex],
  [/^pthread_(join|clockjoin_np|timedjoin_np)$/, ofFutex],
  [/^(read|readv|recv|recvfrom|recvmsg)$/, reads],
  [/^(accept|accept4)$/, connects],
  [/^(pause|sigwait|sigsuspend|sig(timed)?wait(info)?|wait|wait4|waitid|waitpid|flock|fcntl)$/, byOthers],
  [/^(semop|semtimedop|msgrcv|msgsnd|mq_(timed)?(receive|send)|open|openat|connect)$/, byOthers],
  [/^(write|writev|sendto|sendmsg|fsync|fdatasync)$/, byOthers],
];

/** undefined: the thread is in none of them. On processors that are not decoded it seems not to be. */
export async function sleepOf(
  { frames, image, registers }: StoppedStack,
  code: ProcessCode,
  clocks: HostClocks | undefined,
  kernel: KernelThread | undefined,
): Promise<Sleep | undefined> {
  const [innermost] = frames;
  if (innermost?.address === undefined || !(await isAfterSystemCall(innermost.address, image))) return undefined;
  const called = await calledOfCLibrary(frames, code, image);
  const own = called && cLibraryName(called.name);
  const call = (await systemCallOf(kernel)) ?? own;
  const found = call === undefined ? undefined : sleeping.find(([name]) => name.test(call))?.[1];
  if (found === undefined) return undefined;
  const values = await registers(innermost.level);
  const timed = await limitOf(found.limit, values, image, clocks);
  const waited = await descriptorsOf(found.descriptors, values, image);
  const limits = kernel === undefined || waited === undefined ? [] : [await limitOfDescriptors(kernel.process, waited)];
  const from = called?.from ?? innermost.address;
  return { call: own ?? call!, from: `0x${from.toString(16)}`, limit: soonest([timed, ...limits]) };
}

/** undefined: it is not known, or has been resumed by another one. */
async function systemCallOf(kernel: KernelThread | undefined): Promise<string | undefined> {
  const made = await kernel?.process.systemCall(kernel.tid);
  const name = made && usualProcessor.systemCalls.get(made.number);
  return name === 'restart_syscall' ? undefined : name;
}

async function limitOf(
  limit: Limit,
  registers: Registers | undefined,
  image: ProcessImage,
  clocks: HostClocks | undefined,
): Promise<Sleep['limit']> {
  switch (limit.kind) {
    case 'none':
    case 'unknown':
      return { kind: limit.kind };
    case 'milliseconds': {
      const value = registers?.systemCallArgument(limit.at);
      if (value === undefined) return { kind: 'unknown' };
      const time = Number(BigInt.asIntN(32, value));
      return time < 0 ? { kind: 'none' } : { kind: 'for', seconds: time / 1000 };
    }
    case 'time': {
      const address = registers?.systemCallArgument(limit.at);
      return address === 0n ? { kind: 'none' } : lasting(await timeAt(image, address));
    }
    case 'nanosleep':
      return nanosleepLimit(registers, image, clocks);
    case 'futex':
      return futexLimit(registers, image, clocks);
  }
}

const absoluteTime = 1n;
const maxClock = 11n;
const realtimeClock = 0n;

/** nanosleep(request, left) or clock_nanosleep(clock, flags, request, left): no address is as small as a clock. */
async function nanosleepLimit(
  registers: Registers | undefined,
  image: ProcessImage,
  clocks: HostClocks | undefined,
): Promise<Sleep['limit']> {
  const [first, flags] = [registers?.systemCallArgument(0), registers?.systemCallArgument(1)];
  if (first === undefined || flags === undefined) return { kind: 'unknown' };
  const clock = BigInt.asUintN(32, first);
  if (first > maxClock) return lasting(await timeAt(image, first));
  const time = await timeAt(image, registers?.systemCallArgument(2));
  const isAbsolute = (BigInt.asUintN(32, flags) & absoluteTime) !== 0n;
  return isAbsolute ? until(time, clock === realtimeClock ? clocks?.realtime : clocks?.monotonic) : lasting(time);
}

const commandMask = 0x7fn;
const wait = 0n;
const waitBitset = 9n;
const ofRealtimeClock = 0x100n;

/** futex(word, operation, value, time): FUTEX_WAIT lasts so long, FUTEX_WAIT_BITSET ends at a moment. */
async function futexLimit(
  registers: Registers | undefined,
  image: ProcessImage,
  clocks: HostClocks | undefined,
): Promise<Sleep['limit']> {
  const [operation, address] = [registers?.systemCallArgument(1), registers?.systemCallArgument(3)];
  if (operation === undefined || address === undefined) return { kind: 'unknown' };
  if (address === 0n) return { kind: 'none' };
  const time = await timeAt(image, address);
  switch (operation & commandMask) {
    case wait:
      return lasting(time);
    case waitBitset:
      return until(time, (operation & ofRealtimeClock) !== 0n ? clocks?.realtime : clocks?.monotonic);
    default:
      return { kind: 'unknown' };
  }
}

function lasting(seconds: number | undefined): Sleep['limit'] {
  return seconds === undefined ? { kind: 'unknown' } : { kind: 'for', seconds };
}

function until(time: number | undefined, now: number | undefined): Sleep['limit'] {
  if (time === undefined || now === undefined) return { kind: 'unknown' };
  return { kind: 'until', seconds: Math.max(0, time - now), moment: String(time) };
}
