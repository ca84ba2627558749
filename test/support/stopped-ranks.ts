/** Ranks that are stopped wherever they are, without a debugger, and all that a plugin says of one then. */
import { CachedImage } from '../../adapter/images/cached-image';
import { CountingImage } from '../../adapter/images/counting-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { Symbol } from '../../plugin-api/image';
import { readI32, readPointer } from '../../plugin-api/memory';
import type { InfoOf, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Result } from '../../plugin-api/result';
import { askPlugin } from './ask-plugin';
import { compareFacts } from './compare-facts';
import { compareInfo } from './compare-info';
import type { Comparison, Fields } from './comparison';
import { libraryOf, type Library } from './excused';
import { eventually, processState } from './process-state';
import type { BlockedCall, TruthRecord } from './truth';
import { localProcess } from './local-process';

export const handleKinds: readonly HandleKind[] = [
  'comm',
  'datatype',
  'errhandler',
  'file',
  'group',
  'info',
  'message',
  'op',
  'request',
  'session',
  'win',
];

/** Stops the processes with SIGSTOP, all their threads, while `look` runs. */
export async function whileStopped<T>(pids: readonly number[], look: () => Promise<T>): Promise<T> {
  try {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await eventually('the ranks stop', () => pids.every((pid) => processState(pid) === 'T'));
    return await look();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}

/** All that a plugin says of a process at one stop. */
export interface Sight {
  /** As it is in the version that runs. */
  library: Library;
  /** The objects of the truth, against it. */
  comparison: Comparison;
  /** By kind: what its list holds, or why there is none. */
  lists: Map<HandleKind, Result<bigint[]>>;
  /** What is behind each handle of the lists. */
  answers: Map<HandleKind, { handle: bigint; answer: Result<InfoOf[HandleKind]> }[]>;
  /** Why there may be more requests than the list holds. */
  gaps: readonly string[];
  /** Reads of the process' memory, of a KiB or more each. */
  reads: number;
}

/** `truth`: of this rank. Throws what a query throws, and when the process has no MPI. */
export async function lookAt(pid: number, truth: TruthRecord[], library: Library): Promise<Sight> {
  const live = new LiveImage(localProcess(pid));
  try {
    const counted = new CountingImage(live);
    const asked = await new PluginRegistry().open(new CachedImage(counted));
    if (asked === undefined) throw new Error(`process ${pid}: no plugin found its MPI`);
    const known = libraryOf(library, asked.implementation.version)!;
    const comparison = compareFacts(truth, await askPlugin(asked, truth), known);
    const lists: Sight['lists'] = new Map();
    const answers: Sight['answers'] = new Map();
    for (const kind of handleKinds) {
      const list = await asked.handles(kind);
      lists.set(kind, list);
      answers.set(kind, list.ok ? await queryAll(asked, kind, list.value) : []);
    }
    const gaps = (await asked.unlisted?.('request')) ?? [];
    return { library: known, comparison, lists, answers, gaps, reads: counted.counts.reads };
  } finally {
    live.close();
  }
}

async function queryAll(asked: MpiProcess, kind: HandleKind, handles: bigint[]) {
  return Promise.all(handles.map(async (handle) => ({ handle, answer: await asked.query(kind, handle) })));
}

/** The handle that the program keeps in this variable, and what it is. */
export async function askVariable<K extends HandleKind>(
  pid: number,
  name: string,
  kind: K,
): Promise<{ handle: bigint; answer: Result<InfoOf[K]> }> {
  const live = new LiveImage(localProcess(pid));
  try {
    const asked = await new PluginRegistry().open(live);
    const symbol = await live.findSymbol(name);
    if (asked === undefined || symbol === undefined)
      throw new Error(`process ${pid} has no MPI, or no variable ${name}`);
    const isWide = asked.handleSize(kind) === 8;
    const number = isWide ? await readPointer(live, symbol.address) : BigInt(await readI32(live, symbol.address));
    const handle = BigInt.asUintN(isWide ? 64 : 32, number);
    return { handle, answer: await asked.query(kind, handle) };
  } finally {
    live.close();
  }
}

/** A number that the program keeps in this variable. */
export async function readVariable(pid: number, name: string): Promise<number> {
  const live = new LiveImage(localProcess(pid));
  try {
    const symbol: Symbol | undefined = await live.findSymbol(name);
    if (symbol === undefined) throw new Error(`process ${pid} has no variable ${name}`);
    return await readI32(live, symbol.address);
  } finally {
    live.close();
  }
}

/** Those that could be read. */
export function requestsIn({ answers }: Sight): Fields[] {
  return (answers.get('request') ?? []).flatMap(({ answer }) => (answer.ok ? [answer.value as object as Fields] : []));
}

/** UCX has its receives in queues, which are not known of UCX 1.23, and its sends in none. */
const unlisted: Partial<Record<Library, readonly string[]>> = {
  'openmpi with ucx': ['send'],
  'openmpi 6 with ucx': ['send', 'receive'],
};

/**
 * Whether a request of the list is what the program passed to the call that it waits in; else how the nearest differs.
 * That MPI_Waitall and its like wait for it is no part of a request.
 */
export function compareBlocked(blocked: BlockedCall, requests: readonly Fields[], library: Library): Comparison {
  const { rank, call, request } = blocked;
  const isUnlisted = unlisted[library]?.includes(String(request?.['operation']));
  if (request === undefined || isUnlisted === true) return { facts: 0, differences: [] };
  const where = `rank ${rank} in ${call}:`;
  const told = { kind: 'request' as const, info: request };
  let nearest: Comparison = { facts: 0, differences: [`${where} there is no such request`] };
  let fewest = Infinity;
  for (const { handle: _handle, ...info } of requests) {
    const comparison: Comparison = { facts: 0, differences: [] };
    compareInfo(where, told, info, { library, types: new Map() }, comparison);
    if (comparison.differences.length >= fewest) continue;
    nearest = comparison;
    fewest = comparison.differences.length;
  }
  return nearest;
}
