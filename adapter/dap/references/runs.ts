/**
 * The jobs of one session: a restart makes the next one. An address of an earlier job that was in the program's code or
 * global variables has moved with the program; any other is gone.
 */
import { ProcessAccessError } from '../../hosts/process-access-error';
import type { Rank } from '../../job/rank';

/** Where the program of a rank is in the memory of its process. */
interface ProgramMapping {
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
  private readonly mappings: Map<string, Promise<ProgramMapping | undefined>>[] = [];

  /** Starts the next job with these ranks, whose programs are already loaded. */
  begin(ranks: readonly Rank[]): void {
    const mappings = new Map<string, Promise<ProgramMapping | undefined>>();
    this.mappings.push(mappings);
    for (const rank of ranks) {
      runs.set(rank, this.mappings.length);
      mappings.set(rank.label, programMapping(rank));
    }
  }

  /** Its address in this job's rank; undefined: the memory is gone with the earlier process. */
  async moved(address: bigint, run: number, rank: Rank): Promise<bigint | undefined> {
    const now = await this.mappings.at(-1)?.get(rank.label);
    const then = await this.mappings[run - 1]?.get(rank.label);
    if (run === runOf(rank) || (then !== undefined && then.pid === now?.pid)) return address;
    if (then === undefined || now === undefined || address < then.start || address >= then.end) return undefined;
    return address - then.start + now.start;
  }
}

async function programMapping({ process }: Rank): Promise<ProgramMapping | undefined> {
  if (process === undefined) return undefined;
  try {
    const [program, mappings] = await Promise.all([process.program(), process.maps()]);
    const last = mappings.findLastIndex(({ path }) => path === program);
    const first = mappings.find(({ path }) => path === program);
    if (first === undefined) return undefined;
    // Zero-initialised variables are in memory behind the file's mapping.
    const behind = mappings[last + 1];
    const end = mappings[last]!.end;
    const hasMore = behind?.path === '' && behind.start === end;
    return { pid: process.pid, start: first.start, end: hasMore ? behind.end : end };
  } catch (error) {
    if (error instanceof ProcessAccessError) return undefined;
    throw error;
  }
}
