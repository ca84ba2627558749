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

/** undefined: it is in none. What is shared with other processes any of them may release; a semaphore a signal handler, too. */
export async function ownThreadWait(stack: StoppedStack, code: ProcessCode): Promise<OwnThreadWait | undefined> {
  const { frames, image } = stack;
  const call = namedWait(frames) ?? (await calledWait(frames, code, image));
  if (call === undefined) return undefined;
  const [word, operation] = await futexArguments(stack);
  if (!/join/.test(call) && !isPrivate(operation)) return undefined;
  const on = word === undefined ? undefined : await awaitedThread(call, word, image);
  return { call, ...(on === undefined ? {} : { on }) };
}

/** Where glibc keeps a thread's number: a lock behind its word and its count, and a thread in the word that its end clears. */
const threadBehindWord: Readonly<Record<string, bigint>> = { pthread_mutex_lock: 8n, pthread_join: 0n };

async function awaitedThread(call: string, word: bigint, image: ProcessImage): Promise<number | undefined> {
  const behind = threadBehindWord[call];
  if (behind === undefined) return undefined;
  const read = await guard(() => image.readMemory(word + behind, 4));
  if (!read.ok) return undefined;
  const thread = new DataView(read.value.buffer, read.value.byteOffset, 4).getInt32(0, true);
  return thread > 0 ? thread : undefined;
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
