/** Which threads of a rank belong to the MPI library or the libraries below it, not to the program. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { rangeAt } from '../images/core/core-memory';
import type { HostProcess } from '../hosts/host-process';
import type { LiveMapping } from '../hosts/process-maps';
import { ProcessAccessError } from '../hosts/process-access-error';
import { GdbError, GdbLostError } from '../gdb/mi/mi-connection';
import { maxFrames, type Frame } from '../stacks/frame';
import { framesOf } from '../stacks/gdb-stack';
import { threadInfo, ThreadListings, type ListedThread } from '../gdb/mi/thread-commands';
import type { Rank, RankThread, ThreadRole } from './rank';
import { ownRank, type ThreadRecord } from './rank-record';

type InfoOf = (thread: RankThread) => Promise<ListedThread | undefined>;

/** Learns the roles of the rank's threads that are not known yet. The rank is held, with its symbols loaded. */
export async function learnRoles(rank: Rank, mpis: KnownMpis, infoOf: InfoOf = threadInfo): Promise<void> {
  const [first, ...others] = ownRank(rank).threads;
  if (first === undefined) return;
  const unknown = others.filter(({ role }) => role === undefined);
  if (unknown.length === 0) return;
  if (first.role === undefined) {
    const info = await unlessGone(infoOf(first));
    first.tid ??= info?.tid;
    first.role = { name: info?.name, helperOf: undefined };
  }
  const libraryAt = librariesOf(rank);
  await Promise.all(
    unknown.map(async (thread) => {
      thread.role = await unlessGone(roleOf(thread, libraryAt, mpis, infoOf));
    }),
  );
}

/** Learns the roles in several ranks; what the queries of a rank report if its gdb is lost needs no roles. */
export async function learnAllRoles(
  ranks: readonly Rank[],
  mpis: KnownMpis,
  listings: ThreadListings = new ThreadListings(),
): Promise<void> {
  const infoOf: InfoOf = async ({ gdb, gdbThread }) => (await listings.of(gdb)).get(gdbThread);
  await Promise.all(
    ranks.map((rank) =>
      learnRoles(rank, mpis, infoOf).catch((error: unknown) => {
        if (!(error instanceof GdbLostError)) throw error;
      }),
    ),
  );
}

/** undefined for a thread that has just ended. */
async function unlessGone<T>(answer: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

async function roleOf(
  thread: ThreadRecord,
  libraryAt: LibraryAt,
  mpis: KnownMpis,
  infoOf: InfoOf,
): Promise<ThreadRole> {
  const [info, frames] = await Promise.all([infoOf(thread), framesOf(thread, 0, maxFrames)]);
  thread.tid ??= info?.tid;
  const name = info?.name;
  // Where so deep a stack begins is not known: it counts as the program's.
  if (frames.length > maxFrames) return { name, helperOf: undefined };
  const libraries = await Promise.all(frames.map(libraryAt));
  return { name, helperOf: helperOf(libraries, mpis) };
}

/**
 * `libraries`: of a thread's frames, innermost first; undefined: the program. Answers with the owner of the library in which the thread began: of the outermost frame beside the C library's, if all further in are
 * in libraries too. Undefined for the program's own.
 */
export function helperOf(libraries: readonly (string | undefined)[], mpis: KnownMpis): string | undefined {
  const known = libraries.flatMap((library) => library ?? []);
  if (known.length < libraries.length) return undefined;
  const began = known.findLast((library) => !/^(libc|libpthread|ld-linux[\w-]*)[.-]/.test(fileName(library)));
  // An event loop's thread belongs to the caller.
  return began === undefined ? undefined : mpis.ownerOf(began);
}

type LibraryAt = (frame: Frame) => Promise<string | undefined>;

/** The library that a frame is in; undefined for the program, and if unknown. */
function librariesOf(rank: Rank): LibraryAt {
  let files: ReturnType<typeof filesOf> | undefined;
  return async ({ address, from }) => {
    if (from !== undefined || address === undefined) return from;
    // gdb names the libraries of most frames.
    const path = (await (files ??= filesOf(rank)))(address);
    return path !== undefined && /\.so\b/.test(path) ? path : undefined;
  };
}

/** Which file is mapped at an address. */
async function filesOf({ image, process }: Rank): Promise<(address: bigint) => string | undefined> {
  if (image !== undefined) return (address) => rangeAt(image.core.mappings, Number(address))?.path;
  const mappings = process === undefined ? [] : await mappingsOf(process);
  return (address) => mappings.find(({ start, end }) => start <= address && address < end)?.path;
}

async function mappingsOf(process: HostProcess): Promise<LiveMapping[]> {
  try {
    return (await process.maps()).filter(({ executable }) => executable);
  } catch (error) {
    if (error instanceof ProcessAccessError) return [];
    throw error;
  }
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
