/**
 * The thread level that MPI_Query_thread returns. MPICH keeps it in MPIR_ThreadInfo, which has no symbol: it is found by
 * content among the library's data, as the level, the thread that has initialised MPI, and whether the level is the highest.
 */
import { threadLevels, type ThreadLevel } from '../../mpi/thread-levels';
import { guard, QueryError } from '../../result';
import type { Decoder } from './handles';

/** In words of 32 bits. */
const places = { level: 0, padding: 1, thread: 2, isMultiple: 4 };
const wordsInAll = 5;
/** glibc aligns what it knows of a thread, and begins it with its own address, twice. */
const threadAlignment = 64n;
const selfOffsets = [0, 16];

/** Throws QueryError where the library does not tell. */
export async function threadLevel({ image, objects }: Decoder): Promise<ThreadLevel> {
  const candidates = objects.data.flatMap(({ words }) => candidatesIn(words));
  const threads = [...new Set(candidates.map(({ thread }) => thread))];
  const isThread = new Map(
    await Promise.all(threads.map(async (thread) => [thread, await pointsToItself(thread)] as const)),
  );
  const levels = new Set(candidates.filter(({ thread }) => isThread.get(thread)).map(({ level }) => level));
  const [level] = levels;
  if (level === undefined || levels.size > 1)
    throw new QueryError('MPIDBG_ERR_NOT_FOUND', "MPICH's record of the thread level was not found in its data");
  return threadLevels[level]!;

  async function pointsToItself(thread: bigint): Promise<boolean> {
    const read = await guard(() => image.readMemory(thread, 24));
    if (!read.ok) return false;
    const view = new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength);
    return selfOffsets.every((offset) => view.getBigUint64(offset, true) === thread);
  }
}

interface Candidate {
  level: number;
  thread: bigint;
}

function candidatesIn(words: Int32Array): Candidate[] {
  const found: Candidate[] = [];
  for (let at = 0; at + wordsInAll <= words.length; at += 2) {
    const level = words[at + places.level]!;
    if (level < 0 || level >= threadLevels.length || words[at + places.padding] !== 0) continue;
    const isMultiple = level === threadLevels.length - 1;
    if (words[at + places.isMultiple] !== Number(isMultiple)) continue;
    const [low, high] = [words[at + places.thread]!, words[at + places.thread + 1]!];
    // Most words are zero.
    if (low === 0 || high === 0) continue;
    const thread = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    if (thread % threadAlignment === 0n) found.push({ level, thread });
  }
  return found;
}
