/** Waits in the C library for what only another thread of the process does. */
import type { ProcessImage } from '../../../plugin-api/image';
import { isSystemLibrary } from '../../expressions/frames';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import type { Frame } from '../../stacks/frame';
import { isAfterSystemCall } from '../system-calls/after-system-call';
import { calledFunction } from './called-function';
import type { StoppedStack } from './passed-arguments';

/** What is shared with other processes any of them may release; a semaphore a signal handler, too. */
export async function waitsForOwnThread(stack: StoppedStack, code: ProcessCode): Promise<boolean> {
  const { frames, image } = stack;
  const name = namedWait(frames) ?? (await calledWait(frames, code, image));
  if (name === undefined) return false;
  return /join/.test(name) || (await isPrivate(stack));
}

/** By the names on the stack. */
function namedWait(frames: readonly Frame[]): string | undefined {
  const own = frames.findIndex(({ file }) => file !== undefined && !/\b(nptl|sysdeps)\b/.test(file));
  const inner = own < 0 ? frames : frames.slice(0, own);
  const names = inner.map(({ function: name = '' }) => name);
  return names.find((name) =>
    /^_*(GI_+)?pthread_(join|cond_wait|mutex_lock|barrier_wait|rwlock_(rd|wr)lock)$/.test(name),
  );
}

/** Some jump to functions that have no name in a library without debug information: what was called tells. */
async function calledWait(
  frames: readonly Frame[],
  code: ProcessCode,
  image: ProcessImage,
): Promise<string | undefined> {
  const { name } = (await calledOfCLibrary(frames, code, image)) ?? {};
  const isWait =
    name !== undefined && /^pthread_(join|cond_wait|mutex_lock|barrier_wait|rwlock_(rd|wr)lock)$/.test(name);
  return isWait ? name : undefined;
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

/** It sleeps in futex(2), whose second argument tells. On processors that are not decoded nothing is known. */
async function isPrivate({ frames, image, registers }: StoppedStack): Promise<boolean> {
  const [innermost] = frames;
  if (innermost?.address === undefined || !(await isAfterSystemCall(innermost.address, image))) return false;
  const operation = (await registers(innermost.level))?.systemCallArgument(1);
  return operation !== undefined && (operation & privateFlag) !== 0n;
}
