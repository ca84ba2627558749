/** The program's MPI calls of a region: of each thread the one that it is in, and the last ones. */
import { groupedBy } from '../grouped-by';
import type { ThreadCalls, ToldCall } from './records';
import { CommNames } from './comm-names';
import { functionAt, readFunctions, type CalledFunction } from './functions';
import type { Region, Texts } from './region';
import { lastRecords, recordKinds, type RingRecord, type RingTail } from './rings';
import { integer, secondsSince } from './values';

/** Which calls: the last ones of each thread, or all that have ended since the last look through the tail. */
export interface CallChoice {
  last: number;
  tail?: RingTail;
  isWanted: (name: string) => boolean;
}

/** Bits of CALL_HAS_* in region.h. */
const has = { peer: 1, tag: 2, root: 4, bytes: 8 };
/** CALL_ANY and CALL_PROC_NULL. */
const [any, procNull] = [-(2 ** 31), -(2 ** 31) + 1];
/** The number of words in enum call_word. */
const callWords = 9;
const shownBytes = 16 + 8 * callWords;

type Call = ToldCall & { thread: number };

/** Throws FaultError and CorruptError. */
export async function readCalls(region: Region, texts: Texts, choice: CallChoice): Promise<ThreadCalls[]> {
  const functions = await readFunctions(region, texts);
  const comms = await CommNames.of(region, texts);
  const describe = (record: RingRecord): Call => callOf(record, functions, region, texts, comms);
  const isCall = ({ kind, what }: RingRecord): boolean =>
    kind === recordKinds.call && choice.isWanted(functionAt(functions, what).name);
  const threads = await readThreads(region);
  const ended =
    choice.tail === undefined
      ? await lastRecords(region, Infinity, isCall)
      : (await choice.tail.next(region)).filter(isCall);
  const shown = threads.flatMap(({ shown: both }) => both).filter((record) => isCall(record));
  const byThread = groupedBy([...ended, ...shown].map(describe), ({ thread }) => thread);
  const totals = new Map(threads.map(({ thread, total }) => [thread, total]));
  return [...new Set([...totals.keys(), ...byThread.keys()])]
    .map((thread) => ({ thread, calls: byThread.get(thread) ?? [] }))
    .filter(({ thread, calls }) => totals.has(thread) || calls.length > 0)
    .map(({ thread, calls }) => ({
      thread,
      // A thread that has ended may have left its place to another one: it has had at least these.
      total: totals.get(thread) ?? calls.length,
      calls: [...calls]
        .sort((a, b) => a.begin - b.begin)
        .slice(choice.tail === undefined ? -choice.last : 0)
        .map(({ thread: _, ...call }) => call),
    }))
    .sort((a, b) => a.thread - b.thread);
}

/** The threads that are in a collective operation, with its ordinal among the communicator's collectives. Throws FaultError and CorruptError. */
export async function readCollectivesNow(region: Region): Promise<{ thread: number; instance: number }[]> {
  const threads = await readThreads(region);
  return threads.flatMap(({ thread, shown }) =>
    shown.flatMap(({ words: [end, , , , , , , instance = 0n] }) =>
      end === 0n && instance !== 0n ? [{ thread, instance: Number(BigInt.asUintN(32, instance)) }] : [],
    ),
  );
}

/** Those that threads are in. Throws FaultError and CorruptError. */
export async function readCallsNow(region: Region, texts: Texts): Promise<ToldCall[]> {
  const [functions, comms] = [await readFunctions(region, texts), await CommNames.of(region, texts)];
  const shown = (await readThreads(region)).flatMap((thread) => thread.shown);
  return shown.map((record) => callOf(record, functions, region, texts, comms)).filter(({ end }) => end === undefined);
}

/** How often a thread's entry is read again that is being written just then. */
const maxLooks = 20;

async function readThreads(region: Region): Promise<{ thread: number; total: number | string; shown: RingRecord[] }[]> {
  const table = await region.table('calling');
  const threads = [];
  for (let i = 0; i < table.count; i++) {
    let bytes = table.at(i);
    for (let look = 0; bytes.getBigUint64(0, true) % 2n !== 0n && look < maxLooks; look++)
      bytes = await region.entries('calling', i, 1);
    const thread = bytes.getUint32(8, true);
    const isBeingWritten = bytes.getBigUint64(0, true) % 2n !== 0n;
    if (thread === 0) continue;
    const shown = isBeingWritten ? [] : [16 + 8, 16 + 8 + shownBytes].flatMap((at) => shownAt(bytes, at, thread));
    threads.push({ thread, total: integer(bytes.getBigUint64(16, true)), shown });
  }
  return threads;
}

/** As a record. */
function shownAt(bytes: DataView, at: number, thread: number): RingRecord[] {
  const number = bytes.getUint32(at, true);
  if (number === 0) return [];
  const words = Array.from({ length: callWords }, (_, i) => bytes.getBigUint64(at + 16 + 8 * i, true));
  return [{ kind: recordKinds.call, what: number - 1, thread, time: bytes.getBigUint64(at + 8, true), words }];
}

function callOf(
  { what, thread, time, words }: RingRecord,
  functions: readonly CalledFunction[],
  region: Region,
  texts: Texts,
  comms: CommNames,
): Call {
  const called = functionAt(functions, what);
  const [end = 0n, caller = 0n, comm = 0n, peerAndTag = 0n, bytes = 0n, request = 0n, rootAndError = 0n] = words;
  const [instance = 0n, repeated = 0n] = words.slice(7);
  const [peer, tag] = halves(peerAndTag);
  const [root, error] = halves(rootAndError);
  const { start } = region.header;
  return {
    thread,
    name: called.name,
    begin: secondsSince(start, time),
    ...(end === 0n ? {} : { end: secondsSince(start, end) }),
    ...(repeated === 0n ? {} : { repeated: integer(repeated) }),
    ...(caller === 0n ? {} : { code: { address: hex(caller) } }),
    ...(comm === 0n ? {} : { comm: comms.ref(comm, time) }),
    ...((called.has & has.peer) === 0 ? {} : { peer: peerOf(peer) }),
    ...((called.has & has.tag) === 0 ? {} : { tag: tag === any ? ('MPI_ANY_TAG' as const) : tag }),
    ...((called.has & has.root) === 0 ? {} : { root }),
    ...((called.has & has.bytes) === 0 || end === 0n || error !== 0 ? {} : { bytes: integer(bytes) }),
    ...(request === 0n ? {} : { request: { kind: 'request' as const, handle: hex(request) } }),
    ...(error === 0 ? {} : { error: texts.at(error >>> 0) }),
    ...(instance === 0n ? {} : { instance: integer(instance) }),
  };
}

function halves(word: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n))];
}

function peerOf(rank: number): ToldCall['peer'] {
  if (rank === any) return 'MPI_ANY_SOURCE';
  return rank === procNull ? 'MPI_PROC_NULL' : rank;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
