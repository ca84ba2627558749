/** Which threads of a rank belong to the MPI library or the libraries below it, not to the program. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { rangeAt } from '../images/core/core-memory';
import type { HostProcess } from '../hosts/host-process';
import type { LiveMapping } from '../hosts/process-maps';
import { ProcessAccessError } from '../hosts/process-access-error';
import { GdbError, GdbLostError } from '../gdb/mi/mi-connection';
import { stackListFrames, type GdbFrame } from '../gdb/mi/stack-manipulation';
import { threadName } from '../gdb/mi/thread-commands';
import type { Rank, RankThread, ThreadRole } from './rank';
import { ownRank } from './rank-record';

/** Learns the roles of the rank's threads that are not known yet. The rank is held, with its symbols loaded. */
export async function learnRoles(rank: Rank, mpis: KnownMpis): Promise<void> {
  const [first, ...others] = ownRank(rank).threads;
  if (first === undefined) return;
  const unknown = others.filter(({ role }) => role === undefined);
  if (unknown.length === 0) return;
  first.role ??= { name: await nameOf(first), helperOf: undefined };
  const libraryAt = await librariesOf(rank);
  await Promise.all(
    unknown.map(async (thread) => {
      thread.role = await roleOf(thread, libraryAt, mpis);
    }),
  );
}

/** Of several ranks; what the queries of a rank report if its gdb is lost needs no roles. */
export async function learnAllRoles(ranks: readonly Rank[], mpis: KnownMpis): Promise<void> {
  await Promise.all(
    ranks.map((rank) =>
      learnRoles(rank, mpis).catch((error: unknown) => {
        if (!(error instanceof GdbLostError)) throw error;
      }),
    ),
  );
}

async function nameOf(thread: RankThread): Promise<string | undefined> {
  try {
    return await threadName(thread);
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

async function roleOf(
  thread: RankThread,
  libraryAt: (frame: GdbFrame) => string | undefined,
  mpis: KnownMpis,
): Promise<ThreadRole | undefined> {
  try {
    const [name, frames] = await Promise.all([threadName(thread), stackListFrames(thread)]);
    return { name, helperOf: ownerOf(frames.map(libraryAt), mpis) };
  } catch (error) {
    // It has just ended.
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/**
 * The owner of the library in which a thread began: of the outermost frame beside the C library's, if all further in are
 * in libraries too. Undefined for the program's own.
 */
function ownerOf(libraries: readonly (string | undefined)[], mpis: KnownMpis): string | undefined {
  const known = libraries.flatMap((library) => library ?? []);
  if (known.length < libraries.length) return undefined;
  const began = known.findLast((library) => !/^(libc|libpthread|ld-linux[\w-]*)[.-]/.test(fileName(library)));
  // An event loop's thread belongs to the caller.
  return began === undefined ? undefined : mpis.ownerOf(began);
}

/** The library that a frame is in; undefined for the program, and if unknown. */
async function librariesOf(rank: Rank): Promise<(frame: GdbFrame) => string | undefined> {
  const fileAt = await filesOf(rank);
  return ({ address, from }) => {
    if (from !== undefined || address === undefined) return from;
    const path = fileAt(address);
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
