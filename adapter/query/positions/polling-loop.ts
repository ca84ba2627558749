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

export interface AskingLoop {
  /** The calls that it asks with, one at least: "MPI_Iprobe". */
  asks?: readonly string[];
  fetches?: FetchingLoop;
}

/**
 * For a thread that is outside MPI, but what it computes in a loop of its own, which is no pause. Empty: the innermost loop around it does not ask
 * MPI, or the code does not tell.
 */
export async function askingLoop(stack: StoppedStack, code: ProcessCode): Promise<AskingLoop> {
  const found = await guard(async () => ((await isPausing(stack, code)) ? callsInLoop(stack, code) : undefined));
  const calls = found.ok ? found.value : undefined;
  const asks = [...new Set(calls?.names.filter((name) => stateInCall(name) === 'polling'))];
  const fetches = fetchingOf(calls);
  return { ...(asks.length === 0 ? {} : { asks }), ...(fetches === undefined ? {} : { fetches }) };
}

async function isPausing({ frames, image }: StoppedStack, code: ProcessCode): Promise<boolean> {
  const [innermost] = programFrames(frames, code);
  return innermost?.level === 0 || pauses.test((await calledOfCLibrary(frames, code, image))?.name ?? '');
}

/** For a thread in a call on a window. undefined: the innermost loop around it has other aims in MPI, or the code does not tell. */
export async function fetchingLoop(stack: StoppedStack, code: ProcessCode): Promise<FetchingLoop | undefined> {
  const found = await guard(() => callsInLoop(stack, code));
  return found.ok ? fetchingOf(found.value) : undefined;
}

function fetchingOf({ names, loop }: LoopCalls = { names: [], loop: '' }): FetchingLoop | undefined {
  const call = names.find(fetchesFromWindow);
  const isAll = names.every((name) => fetchesFromWindow(name) || servesFetching(name));
  return call === undefined || !isAll ? undefined : { call, loop };
}

interface LoopCalls {
  /** By the address where its code begins. */
  loop: string;
  names: string[];
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
    return { loop, names: await mpiCallsAmong(await callsOf(image, module, found), image, code) };
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
