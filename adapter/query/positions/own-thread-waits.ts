/** Waits in the C library for what only another thread of the process does. */
import type { OwnThreadWait } from '../../../plugin-api/hang/position';
import type { ProcessImage } from '../../../plugin-api/image';
import { guard } from '../../../plugin-api/result';
import { isSystemLibrary } from '../../expressions/frames';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import type { Frame } from '../../stacks/frame';
import { isAfterSystemCall } from '../system-calls/after-system-call';
import { calledFunction } from './called-function';
import type { StoppedStack } from './passed-arguments';

const waits = /^pthread_(join|cond_wait|mutex_lock|barrier_wait|rwlock_(rd|wr)lock)$/;

/**
 * undefined: it is in none. What is shared with other processes any of them may release; a semaphore a signal handler, too. `threads`: the
 * kernel's numbers of all that the process has; undefined: they are not known.
 */
export async function ownThreadWait(
  stack: StoppedStack,
  code: ProcessCode,
  threads: ReadonlySet<number> | undefined,
): Promise<OwnThreadWait | undefined> {
  const { frames, image } = stack;
  const call = namedWait(frames) ?? (await calledWait(frames, code, image));
  if (call === undefined) return undefined;
  const [word, operation] = await futexArguments(stack);
  if (!/join/.test(call) && !isPrivate(operation)) return undefined;
  const on = word === undefined ? undefined : await awaitedThread(call, word, image);
  if (on === undefined) return { call };
  return { call, on, ...(/lock$/.test(call) && threads?.has(on) === false && { hasEnded: true }) };
}

/**
 * Where glibc keeps a thread's number, in words behind the one that is slept on: a lock behind its word and its count, a thread in the word
 * that its end clears. Who waits for a lock of readers and writers sleeps on the third or the fourth word of it; the one that writes is in the
 * seventh, and what is taken for it of the other word, the sixth or the eighth, is 0.
 */
const wordsToThread: Readonly<Record<string, readonly number[]>> = {
  pthread_mutex_lock: [2],
  pthread_join: [0],
  pthread_rwlock_rdlock: [3, 4],
  pthread_rwlock_wrlock: [3, 4],
};

async function awaitedThread(call: string, word: bigint, image: ProcessImage): Promise<number | undefined> {
  const words = wordsToThread[call];
  if (words === undefined) return undefined;
  const read = await guard(() => image.readMemory(word, 4 * (Math.max(...words) + 1)));
  if (!read.ok) return undefined;
  const view = new DataView(read.value.buffer, read.value.byteOffset);
  return words.map((each) => view.getInt32(4 * each, true)).find((thread) => thread > 0);
}

/** By the names on the stack. */
function namedWait(frames: readonly Frame[]): string | undefined {
  const own = frames.findIndex(({ file }) => file !== undefined && !/\b(nptl|sysdeps)\b/.test(file));
  const inner = own < 0 ? frames : frames.slice(0, own);
  return inner.map(({ function: name = '' }) => name.replace(/^_*(GI_+)?/, '')).find((name) => waits.test(name));
}

/** Some jump to functions that have no name in a library without debug information: what was called tells. */
async function calledWait(
  frames: readonly Frame[],
  code: ProcessCode,
  image: ProcessImage,
): Promise<string | undefined> {
  const { name } = (await calledOfCLibrary(frames, code, image)) ?? {};
  return name !== undefined && waits.test(name) ? name : undefined;
}

/** The function of the C library in which the thread is, as its caller names it. undefined: it is in none, or the call does not tell. */
export async function calledOfCLibrary(
  frames: readonly Frame[],
  code: ProcessCode,
  image: ProcessImage,
): Promise<{ name: string; from: bigint } | undefined> {
  const caller = frames.find((frame) => !isOfCLibrary(frame, code));
  if (caller?.address === undefined || caller.level === 0) return undefined;
  const called = await calledFunction(image, caller.address);
  return called && { name: called.name, from: caller.address };
}

function isOfCLibrary(frame: Frame, code: ProcessCode): boolean {
  const { path = '' } = moduleOf(frame, code) ?? {};
  return /\/lib(c|pthread)[.-]/.test(path) && isSystemLibrary(path, code.mpis);
}

/** FUTEX_PRIVATE_FLAG. */
const privateFlag = 0x80n;

function isPrivate(operation: bigint | undefined): boolean {
  return operation !== undefined && (operation & privateFlag) !== 0n;
}

/** It sleeps in futex(2): on which word, and how. On processors that are not decoded nothing is known. */
async function futexArguments({ frames, image, registers }: StoppedStack): Promise<[bigint?, bigint?]> {
  const [innermost] = frames;
  if (innermost?.address === undefined || !(await isAfterSystemCall(innermost.address, image))) return [];
  const read = await registers(innermost.level);
  return [read?.systemCallArgument(0), read?.systemCallArgument(1)];
}
