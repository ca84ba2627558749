/** The threads of a rank that was lost and is in the session again. */
import { listThreads } from '../gdb/mi/thread-commands';
import type { Rank } from './rank';
import { ownRank } from './rank-record';

/** They get the ids that they had, as far as the kernel's numbers of them were known. The rank is held. Rejects with GdbError. */
export async function recallThreads(of: Rank): Promise<void> {
  const rank = ownRank(of);
  const before = rank.lostThreads;
  rank.lostThreads = [];
  if (before.length === 0) return;
  const listing = await listThreads(rank.gdb);
  for (const thread of rank.threads) {
    thread.tid = listing.get(thread.gdbThread)?.tid;
    const known = before.find(({ tid }) => tid !== undefined && tid === thread.tid);
    if (known !== undefined) thread.id = known.id;
  }
}
