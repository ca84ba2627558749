/** Calls of the C library in which a thread waits for what nothing of MPI does, and for how long. */
import type { Sleep } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import type { Registers } from '../../../plugin-api/processor/registers';
import type { ProcessCode } from '../../expressions/code-modules';
import type { HostClocks } from './host-clocks';
import { isAfterSystemCall } from '../system-calls/after-system-call';
import { cLibraryName } from '../system-calls/c-library-name';
import { timeAt } from '../system-calls/time-at';
import { calledOfCLibrary } from './own-thread-waits';
import type { StoppedStack } from './passed-arguments';

/** Where a system call has its time limit. */
type Limit =
  | { kind: 'none' }
  /** Milliseconds as an argument, counted from 0; a negative number is none. */
  | { kind: 'milliseconds'; at: number }
  /** The address of a timespec as an argument, or NULL for none. */
  | { kind: 'time'; at: number }
  | { kind: 'nanosleep' }
  | { kind: 'futex' };

/** By the function that was called, as glibc's makes its system call. */
const limits: readonly (readonly [RegExp, Limit])[] = [
  [/^((clock_)?nanosleep|u?sleep|thrd_sleep)$/, { kind: 'nanosleep' }],
  [/^poll$/, { kind: 'milliseconds', at: 2 }],
  [/^epoll_p?wait$/, { kind: 'milliseconds', at: 3 }],
  [/^ppoll$/, { kind: 'time', at: 2 }],
  // glibc makes pselect6 of select.
  [/^p?select$/, { kind: 'time', at: 4 }],
  [/^epoll_pwait2$/, { kind: 'time', at: 3 }],
  [/^(pthread_cond_(timed|clock)?wait|cnd_(timed)?wait|sem_(timed|clock)?wait)$/, { kind: 'futex' }],
  [/^(pthread_(mutex|rwlock_rd|rwlock_wr)_?(timed|clock)?lock|pthread_barrier_wait)$/, { kind: 'futex' }],
  [/^pthread_(join|clockjoin_np|timedjoin_np)$/, { kind: 'futex' }],
  [/^(read|readv|recv|recvfrom|recvmsg|accept|accept4|pause|sigwait|sigwaitinfo|sigsuspend)$/, { kind: 'none' }],
];

/** undefined: the thread is in none of them. On processors that are not decoded it seems not to be. */
export async function sleepOf(
  { frames, image, registers }: StoppedStack,
  code: ProcessCode,
  clocks: HostClocks | undefined,
): Promise<Sleep | undefined> {
  const [innermost] = frames;
  if (innermost?.address === undefined || !(await isAfterSystemCall(innermost.address, image))) return undefined;
  const called = await calledOfCLibrary(frames, code, image);
  if (called === undefined) return undefined;
  const call = cLibraryName(called.name);
  const limit = limits.find(([name]) => name.test(call))?.[1];
  if (limit === undefined) return undefined;
  const values = await registers(innermost.level);
  return {
    call,
    from: `0x${called.from.toString(16)}`,
    limit: await limitOf(limit, values, image, clocks),
  };
}

async function limitOf(
  limit: Limit,
  registers: Registers | undefined,
  image: ProcessImage,
  clocks: HostClocks | undefined,
): Promise<Sleep['limit']> {
  switch (limit.kind) {
    case 'none':
      return { kind: 'none' };
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
