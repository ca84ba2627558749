/** The ranks that a verdict's questions are about, and what they answer. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { RankId } from '../../../plugin-api/mpi/records';
import { GdbError } from '../../gdb/mi/mi-connection';
import { canBeRead, type Rank } from '../../job/rank';
import type { JobQueries } from '../job-queries';

/** `ranks`: stopped, or core files. */
export interface QuestionSources {
  ranks: readonly Rank[];
  queries: JobQueries;
}

/** A sentence without its capital and full stop, and the facts that it rests on. */
export interface Told {
  text: string;
  evidence: HangDocument['evidence'];
}

/** undefined: it is not among them, or cannot be read. */
export function rankAsked(id: RankId, { ranks, queries }: QuestionSources): Rank | undefined {
  return ranks.find((rank) => {
    const own = queries.idOf(rank);
    const isSame = own.rank === id.rank && own.world === id.world && (own.rank !== null || own.pid === id.pid);
    return isSame && canBeRead(rank);
  });
}

export async function unlessGdbFails<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
