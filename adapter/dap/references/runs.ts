/**
 * The jobs of one session: a restart makes the next one. What an address of an earlier job stands for is elsewhere now
 * when it is the program's own code or one of its global variables, which move together, and gone when it is not.
 */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { parseMaps, readMapsText } from '../../hosts/process-maps';
import type { Rank } from '../../job/rank';

/** Where the program of a rank is in the memory of its process. */
interface ProgramPlace {
  pid: number;
  start: bigint;
  end: bigint;
}

/** Of the ranks of all sessions. */
const runs = new WeakMap<Rank, number>();

/** Counts the jobs of a session from 1 on: a restart makes the next. */
export function runOf(rank: Rank): number {
  return runs.get(rank) ?? 1;
}

export class Runs {
  private readonly places: Map<string, ProgramPlace>[] = [];

  /** These are the ranks of the next job. They have their programs already. */
  begin(ranks: readonly Rank[]): void {
    const places = new Map<string, ProgramPlace>();
    this.places.push(places);
    for (const rank of ranks) {
      runs.set(rank, this.places.length);
      const place = programPlace(rank);
      if (place !== undefined) places.set(rank.label, place);
    }
  }

  /** Where that is now in the rank of this job; undefined: the memory of the earlier process is gone. */
  moved(address: bigint, run: number, rank: Rank): bigint | undefined {
    const now = this.places.at(-1)?.get(rank.label);
    const then = this.places[run - 1]?.get(rank.label);
    if (run === runOf(rank) || (then !== undefined && then.pid === now?.pid)) return address;
    if (then === undefined || now === undefined || address < then.start || address >= then.end) return undefined;
    return address - then.start + now.start;
  }
}

function programPlace({ pid, host }: Rank): ProgramPlace | undefined {
  if (pid === undefined || host !== hostname()) return undefined;
  try {
    const program = readlinkSync(`/proc/${pid}/exe`);
    const mappings = parseMaps(readMapsText(pid));
    const last = mappings.findLastIndex(({ path }) => path === program);
    const first = mappings.find(({ path }) => path === program);
    if (first === undefined) return undefined;
    // Variables without a value in the file are in memory of their own behind it.
    const behind = mappings[last + 1];
    const end = mappings[last]!.end;
    return { pid, start: first.start, end: behind?.path === '' && behind.start === end ? behind.end : end };
  } catch (error) {
    if (error instanceof ProcessAccessError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}
