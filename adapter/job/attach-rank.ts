/** gdb takes a process. */
import type { Gdb } from '../gdb/gdb';
import { targetAttach } from '../gdb/mi/target-manipulation';
import { failureOf } from '../gdb/mi/failure';
import { noMoreProcesses } from '../elf/shortage-error';
import type { GdbRanks } from './gdb-ranks';
import type { Rank } from './rank';

/**
 * Resolves when every thread of the rank is stopped. Rejects with GdbError, with RankEndedError, and with ShortageError: a gdb
 * that cannot fork forgets the stop that it was working on.
 */
export function attachRank(group: GdbRanks, rank: Rank, pid: number): Promise<void> {
  return unlessShort(rank.gdb, async () => {
    await targetAttach(rank, pid);
    await group.held(rank);
  });
}

function unlessShort(gdb: Gdb, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const listen = (text: string): void => {
      if (failureOf(text).reason === 'noProcesses') reject(noMoreProcesses());
    };
    gdb.on('printed', listen);
    void work()
      .then(resolve, reject)
      .finally(() => gdb.off('printed', listen));
  });
}
