/** One look at a job: what a verdict is made of, of every process. */
import type { FoundProcess, ProcessState } from '../../../plugin-api/hang/job-state';
import type { RankPosition } from '../../../plugin-api/hang/position';
import type { MessageCounters } from '../../../plugin-api/mpi/message-queues';
import { queuesByComm } from '../../../plugin-api/mpi/queues-by-comm';
import type { InfoOf, MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { HandleKind, HandleRef, Known, RankError } from '../../../plugin-api/mpi/records';
import { readCollectivesNow } from '../../../plugin-api/overlays/calls';
import { guard, isUnavailable, type Result, unavailable } from '../../../plugin-api/result';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { ThreadListings } from '../../gdb/mi/thread-commands';
import type { HostProcess } from '../../hosts/host-process';
import { Networks } from '../../hosts/network-state';
import { lostFilesOfOne, lostMpiOf } from '../../job/lost-files';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { learnAllRoles } from '../../job/thread-role';
import { regionOfCalls } from '../history/region-of-calls';
import { isAsFound, isStoppedBySignal } from '../found-as';
import type { JobQueries } from '../job-queries';
import { absentId, whyAbsent } from '../rank-ids';
import type { AbsentRank } from '../../job/job';
import { openMpWaitsOf, withTakenPlaces } from '../positions/openmp-threads';
import { positionsOf, stoppedThreads } from '../positions/positions';
import type { RankQueries } from '../rank-queries';
import { withBufferFaults } from './faulty-buffers';
import { SharedTraffic } from './traffic';
import { inWindows } from './window-contents';

export type Contents = Omit<ProcessState, 'id' | 'error' | 'positions'>;

/** Ranks as in a document. */
export async function lookAt(queries: JobQueries, ranks: readonly Rank[], mpis: KnownMpis): Promise<ProcessState[]> {
  const listings = new ThreadListings();
  await learnAllRoles(ranks.filter(canBeRead), mpis, listings);
  const traffic = new SharedTraffic();
  const hosts = new Set(ranks.map(({ process }) => process?.host));
  const networks = hosts.size > 1 ? new Networks() : undefined;
  const readable = ranks.filter((rank) => canBeRead(rank) || rank.state === 'exited');
  const standing = positionsOf(queries, readable, listings);
  const [positions, contents] = await Promise.all([
    standing,
    queries.ofEach(ranks, async (ofRank) => {
      const contents = {
        ...(await contentsOf(ofRank, traffic)),
        ...(await networkOf(ofRank.rank.process, networks)),
      };
      const key = keyOf(queries.idOf(ofRank.rank));
      const own = (await standing).filter((each): each is RankPosition => !('error' in each) && keyOf(each) === key);
      const passed = await withPassedObjects(contents, await ofRank.mpi(), own);
      return { contents: { ...passed, requests: await requestsOf(ofRank, passed, listings) } };
    }),
  ]);
  const told = new Map<string, RankPosition[]>();
  const failed = new Map<string, RankError>();
  for (const each of positions) {
    const key = keyOf(each);
    if ('error' in each) failed.set(key, each);
    else told.set(key, [...(told.get(key) ?? []), each]);
  }
  const absent = queries.absentAmong(ranks).map(absentState);
  const keysOfAbsent = new Set(absent.map(({ id }) => keyOf(id)));
  const seen = contents.filter((answer) => !('error' in answer && keysOfAbsent.has(keyOf(answer))));
  const rankOf = new Map(ranks.map((rank) => [keyOf(queries.idOf(rank)), rank]));
  return [...seen.map((answer) => withLostFiles(stateOf(answer), rankOf.get(keyOf(answer)), mpis)), ...absent];

  function stateOf(answer: (typeof contents)[number]): ProcessState {
    const { rank, world, host, pid, core } = answer;
    const id = { rank, ...(world && { world }), ...(host && { host }), ...(pid && { pid }), ...(core && { core }) };
    const key = keyOf(answer);
    const error = 'error' in answer ? answer.error.reason : failed.get(key)?.error.reason;
    const positions = told.get(key) ?? [];
    // Nothing else can be read of a process that has ended.
    if (positions.some(({ state }) => state === 'ended') && 'error' in answer) return { ...nothing, id, positions };
    if ('error' in answer || error !== undefined) return unreadState(id, error!);
    return { ...answer.contents, id, positions };
  }
}

/** With the files that have changed since the rank loaded them, as evidence of what the look lacks. */
export function withLostFiles(
  state: ProcessState,
  rank: Pick<Rank, 'label' | 'lostFiles'> | undefined,
  mpis: KnownMpis,
): ProcessState {
  if (rank === undefined || rank.lostFiles.length === 0) return state;
  const lostMpi = lostMpiOf(rank.lostFiles, mpis);
  // What its stacks show is not what it does.
  const unknown = lostMpi === undefined ? {} : { error: lostMpi, positions: [] };
  return { ...state, ...unknown, lostFiles: lostFilesOfOne(rank) };
}

/** The state of a rank that cannot be looked at: it has ended, or somebody else has it. */
export function absentState(rank: AbsentRank): ProcessState {
  const id = absentId(rank);
  const reason = whyAbsent(rank);
  return rank.refused === undefined ? endedState(id, reason) : unreadState(id, reason);
}

/** The state of a rank whose process has ended. */
export function endedState(id: ProcessState['id'], reason: string): ProcessState {
  return { ...nothing, id, positions: [{ ...id, thread: 1, state: 'ended', reason }] };
}

/** The state of a rank that cannot be read. */
export function unreadState(id: ProcessState['id'], error: string): ProcessState {
  return { ...nothing, id, positions: [], error };
}

function keyOf({ rank, world, host, pid, core }: ProcessState['id']): string {
  return JSON.stringify([rank, world, host, pid, core]);
}

const unreadable = unavailable('MPIDBG_ERR_UNAVAILABLE', 'the process cannot be read');

const nothing: Contents = {
  ...{ comms: [], contexts: [], queues: [], requests: [], wins: [], files: [] },
  ...{ counters: unreadable, threadLevel: unreadable, traffic: undefined },
};

/** What a look reads beside the positions. */
interface LookSource extends Pick<RankQueries, 'mpi' | 'image' | 'crash' | 'linesOf'> {
  readonly rank: Pick<Rank, 'image' | 'process' | 'foundAs'> & {
    readonly current: Pick<RankThread, 'stop'> | undefined;
  };
}

async function contentsOf(queries: LookSource, traffic: SharedTraffic): Promise<Contents> {
  const decoded = await decodedContents(queries);
  const { openmp } = decoded;
  const placed =
    openmp === undefined ? {} : { openmp: await withTakenPlaces(openmp, (codes) => queries.linesOf(codes)) };
  return { ...decoded, ...placed, ...(await toldContents(queries, traffic, decoded)) };
}

/** What is between the process and other hosts. */
export async function networkOf(
  process: HostProcess | undefined,
  networks: Networks | undefined,
): Promise<Pick<ProcessState, 'network'>> {
  const network = process && (await networks?.of(process));
  return network === undefined ? {} : { network };
}

/** With what is wrong with their buffers. */
async function requestsOf(
  queries: RankQueries,
  { requests }: Contents,
  listings: ThreadListings,
): Promise<Contents['requests']> {
  const { rank } = queries;
  if (requests.length === 0 || rank.state === 'exited') return requests;
  return withBufferFaults(await queries.withHistories(requests), {
    ...{ rank, image: queries.image(), mpi: await queries.mpi() },
    ...{ code: await queries.stackCode(), threads: await stoppedThreads(rank, listings) },
  });
}

/** What is decoded from the memory of the process. */
export async function decodedContents(queries: Pick<LookSource, 'mpi' | 'image' | 'crash'>): Promise<Contents> {
  const crash = await queries.crash();
  const died = crash === undefined ? {} : { crash };
  const process = await queries.mpi();
  if (process === undefined) return { ...nothing, ...died };
  const open = process.implementation.state === 'finalized' ? (process.inFinalize?.() ?? process) : process;
  const sorted = await guard(() => queuesByComm(open, true));
  return {
    ...nothing,
    ...died,
    ...(await collectivesOf(queries)),
    ...(await openMpOf(queries)),
    contexts: await contextsOf(open),
    threadLevel: await threadLevelOf(open),
    ...(await spanningOf(open)),
    comms: sorted.ok ? sorted.value.comms.map(({ info }) => info) : await allOf(open, 'comm'),
    queues: sorted.ok ? sorted.value.comms.map((each) => each.queues) : [],
    counters: sorted.ok ? countersOf(sorted.value.counters) : nothing.counters,
    requests: await allOf(open, 'request'),
    matched: (await allOf(open, 'message')).filter(({ flags }) => !flags.includes('predefined')),
    wins: await windowsOf(open),
    files: await allOf(open, 'file'),
  };
}

/**
 * A call may be given what is in no list: requests that are complete, among them those that MPICH shares among all sends that were
 * complete at once, and the file that it is closing.
 */
export async function withPassedObjects(
  contents: Contents,
  process: MpiProcess | undefined,
  positions: readonly Pick<RankPosition, 'requests' | 'file'>[],
): Promise<Contents> {
  if (process === undefined) return contents;
  const requests = unlisted(
    contents.requests,
    positions.map((position) => position.requests ?? []),
  ).map((handle) => process.query('request', handle));
  const files = unlisted(
    contents.files,
    positions.map(({ file }) => (file === undefined || isUnavailable(file) ? [] : [file])),
  ).map(async (handle) => process.closingFile?.(handle));
  return {
    ...contents,
    requests: [...contents.requests, ...valuesOf(await Promise.all(requests))],
    files: [...contents.files, ...valuesOf(await Promise.all(files))],
  };
}

/** The handles of those that were passed and are not listed, each once. */
function unlisted(listed: readonly { handle: string }[], passed: readonly Known<HandleRef[]>[]): bigint[] {
  const handles = passed.flatMap((refs) => (isUnavailable(refs) ? [] : refs.map(({ handle }) => handle)));
  const known = new Set(listed.map(({ handle }) => handle));
  return [...new Set(handles)].filter((handle) => !known.has(handle)).map(BigInt);
}

function valuesOf<Value>(answers: readonly (Result<Value> | undefined)[]): Value[] {
  return answers.flatMap((answer) => (answer?.ok === true ? [answer.value] : []));
}

/** What its host tells of a process that uses MPI. */
export async function toldContents(
  queries: Pick<LookSource, 'mpi' | 'rank' | 'image'>,
  traffic: SharedTraffic,
  { wins }: Contents,
): Promise<Partial<Contents>> {
  if ((await queries.mpi()) === undefined) return {};
  const { image: core, process } = queries.rank;
  const found = await foundProcess(queries.rank);
  const mainHasEnded = (await process?.hasLostFirstThread()) === true;
  return {
    ...(mainHasEnded && { mainHasEnded }),
    ...(core === undefined ? {} : { written: core.modified }),
    ...(found === undefined ? {} : { found }),
    traffic: process && (await traffic.of(process)),
    wins: await withSharedPlaces(wins, process),
    ...(await inWindows(wins, queries.image())),
  };
}

/** Each with the place of this process' part in the memory that the members of a shared window have in common. */
async function withSharedPlaces(wins: Contents['wins'], process: HostProcess | undefined): Promise<Contents['wins']> {
  if (process === undefined || !wins.some(({ flavor }) => flavor === 'shared')) return wins;
  const maps = await process.maps();
  return wins.map((win) => {
    if (win.flavor !== 'shared' || isUnavailable(win.base)) return win;
    const base = BigInt(win.base);
    const mapping = maps.find(({ start, end }) => start <= base && base < end);
    if (mapping?.file === undefined || !mapping.shared) return win;
    const offset = String(BigInt(mapping.offset) + base - mapping.start);
    return { ...win, sharedAt: { file: mapping.file, offset } };
  });
}

async function collectivesOf(queries: Pick<LookSource, 'image'>): Promise<Pick<ProcessState, 'collectives'>> {
  const read = await guard(async () => {
    const region = await regionOfCalls(queries.image());
    return region === undefined ? {} : { collectives: await readCollectivesNow(region) };
  });
  return read.ok ? read.value : {};
}

async function openMpOf(queries: Pick<LookSource, 'image'>): Promise<Pick<ProcessState, 'openmp'>> {
  const openmp = await openMpWaitsOf(queries.image());
  return openmp.length === 0 ? {} : { openmp };
}

/** undefined of a core file. One that has run since then at the user's command may have had something to do when it stopped. */
async function foundProcess(rank: LookSource['rank']): Promise<FoundProcess | undefined> {
  const { foundAs, process } = rank;
  if (process === undefined) return undefined;
  const processorTime = await process.processorTime();
  const isRunnable = !isAsFound(rank) || foundAs === 'R';
  const state = isRunnable ? 'runnable' : isStoppedBySignal(rank) ? 'stopped' : 'sleeping';
  return { state, ...(processorTime === undefined ? {} : { processorTime }) };
}

function countersOf(counters: Result<MessageCounters[]> | undefined): ProcessState['counters'] {
  if (counters === undefined)
    return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the message layer does not count messages');
  return counters.ok ? counters.value : unavailable(counters.code, counters.reason);
}

async function threadLevelOf(process: MpiProcess): Promise<ProcessState['threadLevel']> {
  const level = await process.threadLevel?.();
  if (level === undefined) return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the thread level is not decoded');
  return level.ok ? level.value : unavailable(level.code, level.reason);
}

async function contextsOf(process: MpiProcess): Promise<ProcessState['contexts']> {
  const contexts = await process.agreedContexts?.();
  if (contexts === undefined) return [];
  return contexts.ok ? contexts.value : undefined;
}

async function spanningOf(process: MpiProcess): Promise<Pick<ProcessState, 'spanning'>> {
  const spanning = await process.spanningMembers?.();
  return spanning?.ok === true ? { spanning: spanning.value } : {};
}

async function windowsOf(process: MpiProcess): Promise<ProcessState['wins']> {
  const wins = await allOf(process, 'win');
  return Promise.all(
    wins.map(async (win) => {
      const groups = await process.epochGroups?.(BigInt(win.handle));
      return groups?.ok === true ? { ...win, ...groups.value } : win;
    }),
  );
}

async function allOf<K extends HandleKind>(process: MpiProcess, kind: K): Promise<InfoOf[K][]> {
  const handles = await process.handles(kind);
  if (!handles.ok) return [];
  const found = await Promise.all(handles.value.map((handle) => process.query(kind, handle)));
  return found.flatMap((each) => (each.ok ? [each.value] : []));
}
