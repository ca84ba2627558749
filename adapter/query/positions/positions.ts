/** Where the threads of a job are: which call of MPI each is in, with its arguments. */
import { stateInCall } from '../../../plugin-api/hang/waiting-calls';
import type { OpenMpWait } from '../../../plugin-api/hang/openmp-waits';
import type { RankPosition, SystemWait } from '../../../plugin-api/hang/position';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import type { RankError, RankId } from '../../../plugin-api/mpi/records';
import { ThreadListings } from '../../gdb/mi/thread-commands';
import type { Frame, ReadStack } from '../../stacks/frame';
import { readStack } from '../../stacks/gdb-stack';
import type { HostProcess } from '../../hosts/host-process';
import type { Rank, ThreadRole } from '../../job/rank';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { callPlace, placeText, shortName } from '../across-ranks/call-place';
import type { JobQueries } from '../job-queries';
import { endingOf } from '../list-handles';
import type { RankQueries } from '../rank-queries';
import { callArguments } from './call-arguments';
import { openMpWaitsOf } from './openmp-threads';
import { activityOf, isOfCLibrary, isOfLibrary, waitForTeam } from './call-on-stack';
import { leavingOf, placedLeaving } from './leaving';
import { hiddenCall, withFunction } from './entered-function';
import { outsideMpi } from './outside-mpi';
import { ownFrames } from './own-frames';
import { polledMemory, withLineText } from './polled-memory';
import { askingLoop, fetchingLoop } from './polling-loop';
import { fetchesFromWindow, servesFetching } from '../../../plugin-api/hang/calls';
import { isAfterSystemCall } from '../system-calls/after-system-call';
import { ownThreadWait } from './own-thread-waits';
import type { StoppedStack } from './passed-arguments';
import { systemWaitOf } from '../system-calls/system-waits';
import { clocksOf, type HostClocks } from './host-clocks';

export type ThreadPosition = Omit<RankPosition, keyof RankId>;

/** The positions of each rank's first thread, its threads of the program, and all others that are inside MPI; ranks ascending, as in a document. */
export async function positionsOf(
  queries: JobQueries,
  ranks: readonly Rank[],
  listings: ThreadListings = new ThreadListings(),
): Promise<(RankPosition | RankError)[]> {
  const answered = await queries.ofEach(ranks, async (ofRank) => ({
    threads: await Promise.all((await threadsOf(ofRank, listings)).map((each) => withLineText(each))),
  }));
  return answered.flatMap<RankPosition | RankError>((answer) => {
    if ('error' in answer) return [answer];
    const { threads, ...id } = answer;
    return threads.map((thread) => ({ ...id, ...thread }));
  });
}

/** One thread of a process at this stop. */
export interface StoppedThread {
  /** From 1 on. */
  thread: number;
  tid: number | undefined;
  role: ThreadRole | undefined;
  stack: () => Promise<ThreadStack>;
}

/** isWhole: nothing lies further out than its last frame. */
export interface ThreadStack extends ReadStack {
  isWhole: boolean;
}

/** What positions are read from. */
export interface PositionSource extends Pick<RankQueries, 'image' | 'mpi'> {
  /** undefined: those of its host are not known. */
  clocks: HostClocks | undefined;
  /** undefined: there is none any more. */
  process: HostProcess | undefined;
}

async function threadsOf(queries: RankQueries, listings: ThreadListings): Promise<ThreadPosition[]> {
  const { rank } = queries;
  if (rank.state === 'exited') return [{ thread: 1, state: 'ended' }];
  const code = await queries.stackCode();
  const threads = await stoppedThreads(rank, listings);
  const openmp = await openMpWaitsOf(queries.image());
  return threadPositions(
    {
      ...{ image: () => queries.image(), mpi: () => queries.mpi() },
      ...{ clocks: clocksOf(rank.process), process: rank.process },
    },
    threads,
    code,
    openmp,
  );
}

/** Those of a rank that gdb has stopped. Rejects with GdbError. */
export async function stoppedThreads(rank: Rank, listings: ThreadListings): Promise<StoppedThread[]> {
  const listing = await listings.of(rank.gdb);
  return rank.threads.map((thread, index) => ({
    thread: index + 1,
    tid: listing.get(thread.gdbThread)?.tid,
    role: thread.role,
    stack: async () => {
      const read = await readStack(thread);
      const isWhole = /^_*(clone3?|start_thread)$/.test(read.frames.at(-1)?.function ?? '');
      return { ...read, isWhole };
    },
  }));
}

/**
 * The numbers of all threads, if those are what the process itself calls them: in a process namespace of its own it has others, and whose
 * numbers a core file has is not known. undefined: they are not.
 */
async function ownThreads(
  process: HostProcess | undefined,
  stopped: readonly StoppedThread[],
): Promise<ReadonlySet<number> | undefined> {
  const tids = stopped.flatMap(({ tid }) => tid ?? []);
  if (process === undefined || tids.length < stopped.length) return undefined;
  return (await process.pidInside()) === process.pid ? new Set(tids) : undefined;
}

/** The positions of the first thread, those of the program, and all others that are inside MPI. */
export async function threadPositions(
  source: PositionSource,
  stopped: readonly StoppedThread[],
  code: ProcessCode,
  openmp: readonly OpenMpWait[],
): Promise<ThreadPosition[]> {
  const inTeam = new Set(openmp.map(({ thread }) => thread));
  const threads = await ownThreads(source.process, stopped);
  const known = await Promise.all(
    stopped.map(async ({ thread, tid, role, stack }) => {
      // MPI's own do nothing that the program waits for, beyond what the library's queues show.
      if (thread > 1 && role?.helperOf !== undefined) return [];
      const position = await positionOf(source, await stack(), code, {
        ...{ tid, threads },
        inTeam: tid !== undefined && inTeam.has(tid),
      });
      return [{ thread, ...(tid === undefined ? {} : { tid }), ...position }];
    }),
  );
  const placed = await Promise.all(
    known.flat().map(async (position) => {
      if (!isInMpi(position) && position.state !== 'finalizing' && position.state !== 'ended') return position;
      const stack = await stopped[position.thread - 1]!.stack();
      const leaving = await leavingOf({ ...stack, image: source.image() }, code);
      return leaving === undefined ? position : withPlaces({ ...position, leaving }, stack.frames, code);
    }),
  );
  // Threads of the program may act for the others; those of libraries do not, as far as their roles are known.
  const isOfProgram = ({ thread, reason }: ThreadPosition): boolean =>
    stopped[thread - 1]!.role !== undefined && reason !== idle && reason !== atWork;
  const mayBeReleased = placed.some(({ reason }) => reason === atWork);
  const shown = placed
    .filter((each) => each.thread === 1 || each.call !== undefined || isOfProgram(each))
    .map((each) => (mayBeReleased && each.reason === forOther ? { ...each, ...byLibrary } : each));
  if (!shown.some(isInMpi)) return shown;
  const image = source.image();
  return Promise.all(
    shown.map(async (each) => {
      if (each.call !== undefined || each.state === 'ended') return each;
      const stack = await stopped[each.thread - 1]!.stack();
      const { process, clocks } = source;
      const kernel = process === undefined || each.tid === undefined ? undefined : { process, tid: each.tid };
      return { ...each, outside: await outsideMpi({ ...stack, image }, code, clocks, kernel) };
    }),
  );
}

function isInMpi({ call, state }: ThreadPosition): boolean {
  return call !== undefined && state === 'blocked';
}

/** Why a thread counts as waiting that acts only when another one of the process lets it. */
const idle = 'it is a thread of a library, which works for the others';
const atWork = 'it is a thread of a library, which may be at work';
const forOther = 'it waits for another thread of its process';
/** Told by the runtime, which knows for whom: no library's thread releases it. */
const forTeam = 'it waits for another thread in OpenMP';
/** As for one of a library that transforms or writes data. */
const byLibrary = { state: 'unknown', reason: `${forOther}, and one of a library may be at work` } as const;

async function positionOf(
  queries: PositionSource,
  { frames, registers, isWhole }: ThreadStack,
  code: ProcessCode,
  { tid, threads, inTeam }: { tid: number | undefined; threads: ReadonlySet<number> | undefined; inTeam: boolean },
): Promise<Omit<ThreadPosition, 'thread' | 'tid'>> {
  const source = sourceOf(frames, code);
  const activity = activityOf(frames, code);
  if (activity.kind === 'program') {
    if (inTeam) return { state: 'blocked', ...source, reason: forTeam };
    const image = queries.image();
    const inTeamCall = await waitForTeam(frames, code, image);
    const ofTeam = inTeamCall?.call === undefined ? undefined : { call: inTeamCall.call };
    const waitsOn = (await ownThreadWait({ frames, registers, image }, code, threads)) ?? ofTeam;
    const waits = waitsOn !== undefined || inTeamCall !== undefined;
    if (isWhole && isOfLibrary(frames, code) && !isOfCLibrary(frames, code))
      return { state: 'blocked', reason: waits ? idle : atWork };
    if (waits) return { state: 'blocked', ...source, reason: forOther, ...(waitsOn && { waitsOn }) };
    if (endingOf([frames], code.mpis) === 'exit') return { state: 'ended', ...source };
    const { asks, fetches } = await askingLoop({ frames, registers, image }, code);
    if (asks !== undefined) return { state: 'polling', ...source, asks };
    const polls = await polledMemory({ frames, registers, image }, code, queries.process);
    const waitsIn = await waitOutside(queries, { frames, image, tid });
    if (polls !== undefined)
      return { state: 'polling', ...source, polls, ...(waitsIn === undefined ? {} : { waitsIn }) };
    if (waitsIn === undefined && !frames.some(({ function: name }) => name !== undefined && name !== '??'))
      return { state: 'unknown', ...source, reason: 'no function on its stack is known' };
    return {
      ...{ state: 'running', ...source },
      ...(waitsIn === undefined ? {} : { waitsIn }),
      ...(fetches === undefined ? {} : { fetches }),
    };
  }
  const stack = { frames, registers, image: queries.image() };
  const call = activity.kind === 'call' ? await withFunction(activity, stack) : await hiddenCall(activity, stack);
  if (call === undefined)
    return { state: 'unknown', ...source, reason: 'it is in a function of the MPI library that has no name' };
  const process = await queries.mpi();
  const passed = process === undefined ? {} : await callArguments(call, stack, process);
  const state = stateInCall(call.call);
  const own = state === 'blocked' ? await ownFrames(stack, code) : undefined;
  const polls = state === 'running' ? await polledMemory(stack, code, queries.process) : undefined;
  if (polls !== undefined) return { state: 'polling', ...source, polls };
  const mayFetch = fetchesFromWindow(call.call) || servesFetching(call.call);
  const fetches = mayFetch ? await fetchingLoop(stack, code) : undefined;
  return {
    ...{ state, call: call.call, ...source, ...passed },
    ...(own === undefined ? {} : { own }),
    ...(fetches === undefined ? {} : { fetches }),
  };
}

/** undefined: it computes, or what it waits for cannot be told. */
async function waitOutside(
  { process }: PositionSource,
  { frames, image, tid }: Pick<StoppedStack, 'frames' | 'image'> & { tid: number | undefined },
): Promise<SystemWait | undefined> {
  const { address, function: name } = frames[0] ?? {};
  if (process === undefined || tid === undefined || address === undefined) return undefined;
  return (await isAfterSystemCall(address, image)) ? systemWaitOf(process, tid, image, name) : undefined;
}

/** The same, told by these frames of its stack. */
export function withPlaces(position: ThreadPosition, frames: readonly Frame[], code: ProcessCode): ThreadPosition {
  const { leaving } = position;
  return {
    ...position,
    ...sourceOf(frames, code),
    ...(leaving && { leaving: placedLeaving(leaving, frames, code) }),
  };
}

/** Where the program is, and through what it has called MPI. */
export function sourceOf(
  frames: readonly Frame[],
  code: ProcessCode,
): Pick<RankPosition, 'where' | 'code' | 'through' | 'library'> {
  const place = callPlace(frames, code);
  const { address, function: name, fullName, file = fullName, line } = place?.frame ?? {};
  if (place === undefined || address === undefined) return {};
  const { frame, through, library } = place;
  const module = moduleOf(frame, code);
  const ofLibrary = library && moduleOf(library, code);
  const ref: CodeRef = {
    address: `0x${address.toString(16)}`,
    ...(name === undefined ? {} : { function: name }),
    ...(file === undefined ? {} : { file: fullName ?? file }),
    ...(line === undefined ? {} : { line }),
    ...(module === undefined ? {} : { module: module.path }),
  };
  return {
    ...(file === undefined ? {} : { where: placeText(frame) }),
    code: ref,
    ...(through && { through: { function: shortName(through.function ?? '??'), where: placeText(through) } }),
    ...(library && { library: { function: shortName(library.function!), ...(ofLibrary && { file: ofLibrary.path }) } }),
  };
}
