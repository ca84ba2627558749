/** Whether a thread asks MPI in a loop: between two questions it is polling, too. */
import type { ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary } from '../../expressions/frames';
import { fetchesFromWindow, servesFetching } from '../../../plugin-api/hang/calls';
import type { FetchingLoop } from '../../../plugin-api/hang/position';
import { stateInCall } from '../../../plugin-api/hang/waiting-calls';
import { guard } from '../../../plugin-api/result';
import { ModuleCode } from '../../../plugin-api/processor/code/code';
import { innermostLoop } from '../../../plugin-api/processor/code/innermost-loop';
import {
  callsOf,
  reachableCalls,
  type LinkedCall,
  type ReachableCalls,
} from '../../../plugin-api/processor/code/reachable-calls';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import { programFrames } from './call-on-stack';
import { moduleAt } from './called-function';
import { calledOfCLibrary } from './own-thread-waits';
import type { StoppedStack } from './passed-arguments';

/** In which a thread lets time pass until it asks again. */
const pauses =
  /^_*((clock_)?nanosleep|u?sleep|sched_yield|pthread_yield|thrd_(sleep|yield)|p?poll|p?select|epoll_p?wait2?|clock_gettime|gettimeofday|time)$/;

/** A loop is in the function that pauses, or in one of those that call it. */
const maxFrames = 8;

/**
 * The call that the innermost loop around the thread asks with, "MPI_Iprobe". undefined: there is none, or the code does not tell. What a
 * thread computes in a loop of its own is no pause.
 */
export async function pollingCall(stack: StoppedStack, code: ProcessCode): Promise<string | undefined> {
  const found = await guard(() => pollingCallOf(stack, code));
  return found.ok ? found.value : undefined;
}

async function pollingCallOf(stack: StoppedStack, code: ProcessCode): Promise<string | undefined> {
  const { frames, image } = stack;
  const own = programFrames(frames, code);
  const isPausing = own[0]?.level === 0 || pauses.test((await calledOfCLibrary(frames, code, image))?.name ?? '');
  if (!isPausing) return undefined;
  return (await callsInLoop(stack, code))?.calls.find((name) => stateInCall(name) === 'polling');
}

/** undefined: the innermost loop around the thread reads no window, has other aims in MPI, or the code does not tell. */
export async function fetchingLoop(stack: StoppedStack, code: ProcessCode): Promise<FetchingLoop | undefined> {
  const found = await guard(() => callsInLoop(stack, code));
  const { calls = [], loop = '' } = (found.ok ? found.value : undefined) ?? {};
  const [call] = calls.filter(fetchesFromWindow);
  if (call === undefined || !calls.every((name) => fetchesFromWindow(name) || servesFetching(name))) return undefined;
  return { call, loop };
}

interface LoopCalls {
  /** By the address where its code begins. */
  loop: string;
  calls: string[];
}

/** What the innermost loop around the thread calls of MPI, itself or through the program's functions. */
async function callsInLoop({ frames, image }: StoppedStack, code: ProcessCode): Promise<LoopCalls | undefined> {
  const own = programFrames(frames, code);
  let inner: bigint | undefined;
  for (const { address, level } of own.slice(0, maxFrames)) {
    // The compiler has put this function into another one.
    if (address === undefined || address === inner) continue;
    inner = address;
    const module = await moduleAt(image, address);
    if (module === undefined) return undefined;
    const place = { address: Number(address - module.bias), isReturn: level > 0 };
    const found = await innermostLoop(new ModuleCode(image, module), place);
    if (found === undefined) continue;
    const loop = `0x${(BigInt(Math.min(...found.keys())) + module.bias).toString(16)}`;
    return { loop, calls: await mpiCallsAmong(await callsOf(image, module, found), image, code) };
  }
  return undefined;
}

/** Functions of the program's libraries. */
const maxFollowed = 16;

async function mpiCallsAmong(
  { linked }: ReachableCalls,
  image: StoppedStack['image'],
  code: ProcessCode,
): Promise<string[]> {
  const found: string[] = [];
  const open = [...linked];
  const followed = new Set<string>();
  for (let call = open.shift(); call !== undefined; call = open.shift()) {
    if (isMpiCall(call.name)) {
      found.push(nameOfCall(call.name));
    } else if (isOwn(call, code) && !followed.has(call.name) && followed.size < maxFollowed) {
      followed.add(call.name);
      open.push(...(await reachableCalls(image, call.module, call.address)).linked);
    }
  }
  return found;
}

function isOwn({ module }: LinkedCall, { mpis }: ProcessCode): boolean {
  return !mpis.isMpi(module.path) && !isSystemLibrary(module.path, mpis);
}
