/** Where in its code a rank is to wait for a debugger. */
import { basename } from 'node:path';
import { mpiFunction } from '../../../plugin-api/fortran/call-words';
import { codeLocations, type BreakpointLocation, type CodeLocation } from '../../gdb/mi/breakpoint-commands';
import type { Gdb } from '../../gdb/gdb';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';

export interface StopPlace {
  address: bigint;
  /** "relax (solver.c:38)" */
  words: string;
}

/** For each rank of the job, whose ranks are held: in no order; none where it has no such code. Rejects with GdbError. */
export async function stopPlaces(job: Job, at: BreakpointLocation): Promise<Map<Rank, readonly StopPlace[]>> {
  const byGdb = new Map<Gdb, Promise<CodeLocation[]>>(job.gdbs.map((gdb) => [gdb, locationsIn(gdb, at)]));
  const places = job.ranks.map(async (rank) => {
    const found = (await byGdb.get(rank.gdb)) ?? [];
    const own = found.filter(({ threadGroups }) => threadGroups.includes(rank.threadGroup));
    const ours = (await rank.process?.maps())?.filter(({ path }) => ownLibrary.test(path)) ?? [];
    const ofProgram = own.filter(({ address }) => !ours.some(({ start, end }) => start <= address && address < end));
    return [rank, ofProgram.map((each) => ({ address: each.address, words: wordsOf(each, at) }))] as const;
  });
  return new Map(await Promise.all(places));
}

/** What stands before MPI's functions in ranks. */
const ownLibrary = /\/mpidbg-\w+(\.\w+)*\.so/;

async function locationsIn(gdb: Gdb, at: BreakpointLocation): Promise<CodeLocation[]> {
  const names = at.kind === 'function' ? (mpiFunction(at.function)?.symbols ?? [at.function]) : [];
  const wanted = at.kind === 'line' ? [at] : names.map((name) => ({ ...at, function: name }));
  const found: CodeLocation[] = [];
  for (const each of wanted) found.push(...(await codeLocations(gdb, each)));
  return found;
}

function wordsOf({ function: name, file, line }: CodeLocation, at: BreakpointLocation): string {
  const called = at.kind === 'function' ? (mpiFunction(at.function)?.name ?? at.function) : name;
  const place = file === undefined || line === undefined ? undefined : `${basename(file)}:${line}`;
  if (called === undefined) return place ?? 'its place';
  return place === undefined ? called : `${called} (${place})`;
}
