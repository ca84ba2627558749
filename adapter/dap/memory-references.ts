/** `0x7ffe01c0@3`: an address in the memory of rank 3. Addresses mean something within one process only. */
import type { Job } from '../job/job';
import type { Rank, RankThread } from '../job/rank';
import { rankRuns, wrongArguments } from './errors';
import { canBeRead, type Focus } from './focus';

export function memoryReference(rank: Rank, address: bigint): string {
  return `0x${address.toString(16)}@${rank.number ?? `pid${rank.pid ?? 0}`}`;
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
  ) {}

  /** A bare address is one of the first rank of the focus. Throws RequestError for text that is none, or of a rank that runs. */
  locate(command: string, reference: unknown, offset = 0): Located {
    const match = /^\s*(0x[0-9a-f]+|\d+)\s*(?:@(\d+|pid\d+))?\s*$/i.exec(String(reference));
    if (match === null) throw wrongArguments(command, `"${String(reference)}" is no address such as 0x7ffe01c0@3`);
    const [, number, of] = match as unknown as [string, string, string | undefined];
    const rank =
      of === undefined
        ? this.focus.ranks.find(canBeRead)
        : this.job.ranks.find((each) => of === String(each.number ?? `pid${each.pid ?? 0}`));
    if (rank === undefined)
      throw wrongArguments(command, `no rank that is stopped has the address ${String(reference)}`);
    const [thread] = rank.threads;
    if (!canBeRead(rank) || thread === undefined) throw rankRuns(rank);
    return { rank, thread, address: BigInt(number) + BigInt(offset) };
  }
}
