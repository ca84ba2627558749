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

/** For the ranks of all sessions: which job of its session a rank belongs to. */
const jobNumbers = new WeakMap<Rank, number>();

/** Counts the jobs of a session from 1 on: a restart makes the next. */
export function jobNumberOf(rank: Rank): number {
  return jobNumbers.get(rank) ?? 1;
}

export class SessionJobs {
  private readonly mappings: Map<string, Promise<ProgramMapping | undefined>>[] = [];

  /** Starts the next job with these ranks, whose programs are already loaded. */
  begin(ranks: readonly Rank[]): void {
    const mappings = new Map<string, Promise<ProgramMapping | undefined>>();
    this.mappings.push(mappings);
    for (const rank of ranks) {
      jobNumbers.set(rank, this.mappings.length);
      mappings.set(rank.label, programMapping(rank));
    }
  }

  /** Where the memory of an earlier job is in the present one; undefined: it is gone with its process. */
  async moved(address: bigint, jobNumber: number, rank: Rank): Promise<bigint | undefined> {
    const now = await this.mappings.at(-1)?.get(rank.label);
    const then = await this.mappings[jobNumber - 1]?.get(rank.label);
    if (jobNumber === jobNumberOf(rank) || (then !== undefined && then.pid === now?.pid)) return address;
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
