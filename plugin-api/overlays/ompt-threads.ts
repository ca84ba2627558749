/**
 * What each OpenMP thread does: its state, region and task, what it waits for and holds. The states are those of the specification,
 * told from what the callbacks have said: a runtime answers for the calling thread alone.
 */
import type { ProcessImage } from '../image';
import type { CodeRef } from '../mpi/code-ref';
import type { MutexKind, OmptHold, OmptParallel, OmptTask, OmptThread, OmptWait } from './ompt-records';
import { Scopes } from './ompt-scopes';
import { flagNames, flags, threadTypes, words } from './ompt-words';
import { collectBits, Region } from './region';
import { integer, secondsSince } from './values';

/** The lengths of the arrays of struct omp_thread_entry in region.h. */
const [maxLevels, maxWaits, maxHeld] = [8, 8, 16];
const offsets = { levels: 24, waits: 280, held: 664 };
const strides = { level: 32, wait: 48, held: 32 };
const [forks, reduces] = [1, 2];
const [waitSync, waitMutex, waitTarget] = [1, 2, 3];
/** ompt_task_initial */
const initial = 1;
/** How often an entry is read again that is being written just then. */
const maxLooks = 20;

interface Level {
  parallel: bigint;
  task: bigint;
  team: number;
  index: number;
  flags: number;
}

interface Waiting {
  task: bigint;
  waitId: bigint;
  code: bigint;
  since: bigint;
  what: number;
  kind: number;
  impl: number;
}

/** As it is in the region. */
interface Entry {
  thread: number;
  type: OmptThread['type'];
  flags: number;
  task: bigint;
  /** Undefined: more regions are nested than there is room for. */
  levels: Level[] | undefined;
  wait: Waiting | undefined;
  holds: OmptHold[];
}

/** Where the OpenMP runtime has told the collector of its threads; undefined: nowhere. `modules`: of the process. As Region.open. */
export async function openMpRegion(
  image: () => ProcessImage,
  modules: readonly { path: string }[],
): Promise<Region | undefined> {
  if (!modules.some(({ path }) => /mpidbg-ompt[^/]*\.so$/.test(path))) return undefined;
  const region = await Region.open(image());
  return (region.header.collects & collectBits.ompt) === 0 ? undefined : region;
}

/** Throws FaultError and CorruptError. `impls`: words of the runtime for how mutexes are implemented. */
export async function readOmptThreads(region: Region, impls: readonly (string | undefined)[]): Promise<OmptThread[]> {
  const table = await region.table('ompThreads');
  const [parallels, tasks] = [await Scopes.of(region, 'parallels'), await Scopes.of(region, 'tasks')];
  const threads: OmptThread[] = [];
  for (let i = 0; i < table.count; i++) {
    let bytes = table.at(i);
    for (let look = 0; bytes.getBigUint64(0, true) % 2n !== 0n && look < maxLooks; look++)
      bytes = await region.entries('ompThreads', i, 1);
    // It has ended, or nobody has it.
    if (bytes.getUint32(8, true) === 0 || bytes.getUint8(12) === 0) continue;
    const thread = bytes.getUint32(8, true);
    const type = threadTypes[bytes.getUint8(12)] ?? 'unknown';
    if (bytes.getBigUint64(0, true) % 2n !== 0n) threads.push({ thread, type, state: 'undefined', holds: [] });
    else threads.push(threadOf(entryOf(bytes, region), parallels, tasks, region, impls));
  }
  return threads.sort((a, b) => a.thread - b.thread);
}

function entryOf(bytes: DataView, region: Region): Entry {
  const [levelCount, waitCount] = [bytes.getUint8(14), bytes.getUint8(15)];
  const task = bytes.getBigUint64(16, true);
  const innermost = waitCount === 0 || waitCount > maxWaits ? undefined : waitAt(bytes, waitCount - 1);
  return {
    thread: bytes.getUint32(8, true),
    type: threadTypes[bytes.getUint8(12)] ?? 'unknown',
    flags: bytes.getUint8(13),
    task,
    levels: levelCount > maxLevels ? undefined : Array.from({ length: levelCount }, (_, i) => levelAt(bytes, i)),
    // A thread that waits for others may do another task meanwhile.
    wait: innermost?.task === task ? innermost : undefined,
    holds: Array.from({ length: maxHeld }, (_, i) => holdAt(bytes, i, region)).flatMap((hold) => hold ?? []),
  };
}

function levelAt(bytes: DataView, index: number): Level {
  const at = offsets.levels + strides.level * index;
  return {
    parallel: bytes.getBigUint64(at, true),
    task: bytes.getBigUint64(at + 8, true),
    team: bytes.getUint32(at + 16, true),
    index: bytes.getUint32(at + 20, true),
    flags: bytes.getUint32(at + 24, true),
  };
}

function waitAt(bytes: DataView, index: number): Waiting {
  const at = offsets.waits + strides.wait * index;
  return {
    task: bytes.getBigUint64(at, true),
    waitId: bytes.getBigUint64(at + 8, true),
    code: bytes.getBigUint64(at + 16, true),
    since: bytes.getBigUint64(at + 24, true),
    what: bytes.getUint32(at + 32, true),
    kind: bytes.getUint32(at + 36, true),
    impl: bytes.getUint32(at + 40, true),
  };
}

function holdAt(bytes: DataView, index: number, region: Region): OmptHold | undefined {
  const at = offsets.held + strides.held * index;
  const waitId = bytes.getBigUint64(at, true);
  const kind = mutexKind(bytes.getUint32(at + 24, true));
  if (waitId === 0n || kind === undefined) return undefined;
  const since = secondsSince(region.header.start, bytes.getBigUint64(at + 16, true));
  return { kind, waitId: hex(waitId), ...codeOf(bytes.getBigUint64(at + 8, true)), since };
}

/** test_lock is a way to take a lock. */
function mutexKind(number: number): MutexKind | undefined {
  const word = words.mutex[number];
  return word?.replace('test_', '') as MutexKind | undefined;
}

function threadOf(
  entry: Entry,
  parallels: Scopes,
  tasks: Scopes,
  region: Region,
  impls: readonly (string | undefined)[],
): OmptThread {
  const { thread, type, levels, wait, holds } = entry;
  const level = levels?.at(-1);
  const parallel = level === undefined || level.parallel === 0n ? undefined : parallelOf(level, parallels);
  const task = taskOf(entry, parallels, tasks);
  const waitsFor = wait === undefined ? undefined : waitOf(wait, region, impls);
  return {
    ...{ thread, type, state: stateOf(entry) },
    ...(parallel === undefined ? {} : { parallel }),
    ...(task === undefined ? {} : { task }),
    ...(waitsFor === undefined ? {} : { waitsFor }),
    holds,
  };
}

function parallelOf({ parallel, team, index }: Level, parallels: Scopes): OmptParallel {
  const scope = parallels.get(parallel);
  return {
    id: integer(parallel),
    requested: scope?.requested ?? 0,
    ...{ teamSize: team, index },
    flags: scope === undefined ? [] : flagNames(scope.flags, flags.parallel),
    ...codeOf(scope?.code ?? 0n),
    ...(scope === undefined || scope.enclosing === 0n ? {} : { enclosing: integer(scope.enclosing) }),
  };
}

function taskOf({ task: id, levels }: Entry, parallels: Scopes, tasks: Scopes): OmptTask | undefined {
  if (id === 0n) return undefined;
  const level = levels?.find(({ task }) => task === id);
  const scope = level === undefined ? tasks.get(id) : parallels.get(level.parallel);
  return {
    id: integer(id),
    flags: level === undefined && scope === undefined ? [] : flagNames((level ?? scope)!.flags, flags.task),
    ...(scope === undefined || scope.task === 0n ? {} : { parent: integer(scope.task) }),
    ...codeOf(scope?.code ?? 0n),
  };
}

/** By ompt_sync_region_t. */
const syncWaits: readonly (Pick<OmptWait, 'kind' | 'detail'> | undefined)[] = [
  undefined,
  { kind: 'barrier' },
  { kind: 'barrier', detail: 'implicit' },
  { kind: 'barrier', detail: 'explicit' },
  { kind: 'barrier', detail: 'implementation' },
  { kind: 'taskwait' },
  { kind: 'taskgroup' },
  { kind: 'reduction' },
  { kind: 'barrier', detail: 'workshare' },
  { kind: 'barrier', detail: 'parallel' },
  { kind: 'barrier', detail: 'teams' },
];

function waitOf(wait: Waiting, region: Region, impls: readonly (string | undefined)[]): OmptWait | undefined {
  const { what, kind, waitId, impl } = wait;
  const common = { ...codeOf(wait.code), since: secondsSince(region.header.start, wait.since) };
  if (what === waitSync) {
    const found = syncWaits[kind];
    return found === undefined ? undefined : { ...found, ...common };
  }
  if (what === waitTarget) {
    const detail = words.target[kind];
    return { kind: 'target', ...(detail === undefined ? {} : { detail }), ...common };
  }
  const mutex = what === waitMutex ? mutexKind(kind) : undefined;
  if (mutex === undefined) return undefined;
  const detail = impls[impl];
  return { kind: mutex, ...(detail === undefined ? {} : { detail }), waitId: hex(waitId), ...common };
}

function stateOf({ type, flags: bits, task, levels, wait }: Entry): string {
  if (wait !== undefined) return waitState(wait);
  if ((bits & reduces) !== 0) return 'work_reduction';
  if ((bits & forks) !== 0) return 'overhead';
  if (levels === undefined) return 'work_parallel';
  const level = levels.at(-1);
  if (level === undefined) return type === 'worker' ? 'idle' : 'undefined';
  if (task === 0n) return 'overhead';
  return level.parallel === 0n && (level.flags & initial) !== 0 ? 'work_serial' : 'work_parallel';
}

function waitState({ what, kind }: Waiting): string {
  if (what === waitTarget) {
    const word = words.target[kind] ?? '';
    return word.startsWith('update') ? 'wait_target_update' : /data/.test(word) ? 'wait_target_map' : 'wait_target';
  }
  if (what === waitMutex) {
    const mutex = mutexKind(kind);
    return mutex === undefined ? 'wait_mutex' : `wait_${mutex.replace('nest_', '')}`;
  }
  const word = words.syncRegion[kind];
  return word === 'reduction' ? 'work_reduction' : word === undefined ? 'undefined' : `wait_${word}`;
}

function codeOf(address: bigint): { code?: CodeRef } {
  return address === 0n ? {} : { code: { address: hex(address) } };
}

function hex(value: bigint): `0x${string}` {
  return `0x${value.toString(16)}`;
}
