/** gdb takes a process. */
import type { Gdb } from '../gdb/gdb';
import { targetAttach } from '../gdb/mi/target-manipulation';
import { failureOf } from '../gdb/mi/failure';
import { symbolFile } from '../gdb/mi/file-commands';
import type { SymbolFiles } from '../images/live/symbol-files';
import { noMoreProcesses } from '../elf/shortage-error';
import type { GdbRanks } from './gdb-ranks';
import { sysrootTurns, withoutFiles } from './library-events';
import type { Rank } from './rank';

/**
 * Resolves when every thread of the rank is stopped. Rejects with GdbError, with RankEndedError, and with ShortageError: a gdb
 * that cannot fork forgets the stop that it was working on.
 */
export function attachRank(group: GdbRanks, rank: Rank, pid: number): Promise<void> {
  return sysrootTurns(rank.gdb).together(() => take(group, rank, pid));
}

/** gdb finds the program, and the dynamic linker in whose code it sets breakpoints, by their names. */
export function findsFiles({ findsProgram, findsLinker, mayLook }: SymbolFiles): boolean {
  return findsProgram && findsLinker && mayLook;
}

/** As attachRank, for a process whose files gdb does not find. */
export function attachRankWithFiles(group: GdbRanks, rank: Rank, pid: number, files: SymbolFiles): Promise<void> {
  return withoutFiles(rank, files, async () => {
    if (files.program !== undefined) await symbolFile(rank, files.program.path, files.program.bias);
    await take(group, rank, pid);
  });
}

/** gdb finds the program when the process has stopped. */
function take(group: GdbRanks, rank: Rank, pid: number): Promise<void> {
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
