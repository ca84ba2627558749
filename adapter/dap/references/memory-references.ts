/**
 * `0x7ffe01c0@3`: an address in the memory of rank 3, `0x7ffe01c0@3.2`: after the first restart. Addresses mean something
 * within one process only.
 */
import type { Job } from '../../job/job';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { rankRuns, wrongArguments } from '../client/errors';
import type { Focus } from '../ranks/focus';
import { jobNumberOf, type SessionJobs } from './session-jobs';

export function memoryReference(rank: Rank, address: bigint): string {
  const number = jobNumberOf(rank);
  return `0x${address.toString(16)}@${nameOf(rank)}${number === 1 ? '' : `.${number}`}`;
}

/** Resolves a reference that a client may keep longer than a stop; undefined: the memory is gone. */
export interface Kept {
  rank: Rank;
  address: bigint | undefined;
}

export interface Located {
  rank: Rank;
  thread: RankThread;
  address: bigint;
}

export class MemoryReferences {
  constructor(
    private readonly job: Job,
    private readonly focus: Focus,
    private readonly jobs: SessionJobs,
  ) {}

  /**
   * A bare address is one of the first rank of the focus. Rejects with RequestError for invalid text, or a rank that
   * runs.
   */
  async locate(command: string, reference: string, offset = 0): Promise<Located> {
    const { address, rank, jobNumber } = this.parse(command, reference);
    const [thread] = rank.threads;
    if (!canBeRead(rank) || thread === undefined) throw rankRuns(rank);
    const now = jobNumber === undefined ? address : await this.jobs.moved(address, jobNumber, rank);
    if (now === undefined) throw wrongArguments(command, `${reference} was an address before the restart`);
    return { rank, thread, address: now + BigInt(offset) };
  }

  /** A reference that a client has kept: the rank may run or have ended, and the job may have been restarted. */
  async kept(command: string, reference: string, offset = 0): Promise<Kept> {
    const { address, rank, jobNumber } = this.parse(command, reference);
    return { rank, address: await this.jobs.moved(address + BigInt(offset), jobNumber ?? 1, rank) };
  }

  private parse(command: string, reference: string): { address: bigint; rank: Rank; jobNumber: number | undefined } {
    const match = /^\s*(0x[0-9a-f]+|\d+)\s*(?:@(\d+|pid\d+)(?:\.(\d+))?)?\s*$/i.exec(reference);
    if (match === null) throw wrongArguments(command, `"${reference}" is not an address such as 0x7ffe01c0@3`);
    const [, number, of, jobNumber] = match as unknown as [string, string, string | undefined, string | undefined];
    const rank =
      of === undefined ? this.focus.ranks.find(canBeRead) : this.job.ranks.find((each) => of === nameOf(each));
    if (rank === undefined) throw wrongArguments(command, `no stopped rank has the address ${reference}`);
    return { address: BigInt(number), rank, jobNumber: jobNumber === undefined ? undefined : Number(jobNumber) };
  }
}

function nameOf({ number, pid }: Rank): string {
  return number === null ? `pid${pid ?? 0}` : String(number);
}
