/**
 * The jobs of one session: a restart makes the next one. What an address of an earlier job stands for is elsewhere now
 * when it is the program's own code or one of its global variables, which move together, and gone when it is not.
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

  /** These are the ranks of the next job. They have their programs already. */
  begin(ranks: readonly Rank[]): void {
    const mappings = new Map<string, Promise<ProgramMapping | undefined>>();
    this.mappings.push(mappings);
    for (const rank of ranks) {
      runs.set(rank, this.mappings.length);
      mappings.set(rank.label, programMapping(rank));
    }
  }

  /** Where that is now in the rank of this job; undefined: the memory of the earlier process is gone. */
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
    // Variables without a value in the file are in memory of their own behind it.
    const behind = mappings[last + 1];
    const end = mappings[last]!.end;
    const hasMore = behind?.path === '' && behind.start === end;
    return { pid: process.pid, start: first.start, end: hasMore ? behind.end : end };
  } catch (error) {
    if (error instanceof ProcessAccessError) return undefined;
    throw error;
  }
}
