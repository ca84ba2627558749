/**
 * Whether gdb sees its ranks load libraries. It stops a rank several times for each, and Open MPI opens and closes
 * about 180 components in MPI_Init: with Open MPI 4.1.4 that was three quarters of all that gdb did until the first
 * stop.
 *
 * gdb has no setting for this. But to find where to watch, it opens the program's dynamic linker below its sysroot, and
 * each inferior keeps the result: so mpidbg misleads it once, for this inferior only.
 */
import type { Gdb } from '../gdb/gdb';
import { addInferior, removeInferior } from '../gdb/mi/target-manipulation';
import { findSharedLibraries, setSysroot, sysroot } from '../gdb/mi/file-commands';
import type { Rank } from './rank';
import { Turns } from './turns';

/** A sysroot without a dynamic linker, and without any other file: nobody can make a folder there. */
const nowhere = '/dev/fd/nowhere';

/**
 * gdb has one sysroot for all its inferiors, and finds the program of a process that it takes below it. Whoever changes it for a
 * moment, or takes a process, waits for the others.
 */
const turns = new WeakMap<Gdb, Turns>();

export function sysrootTurns(gdb: Gdb): Turns {
  const known = turns.get(gdb) ?? new Turns();
  turns.set(gdb, known);
  return known;
}

export class LibraryEvents {
  private readonly unseen = new Set<Rank>();
  /** All that it was asked to ignore. */
  private readonly ranks = new Set<Rank>();

  constructor(private readonly gdb: Gdb) {}

  /** The ranks, which are held, load libraries without gdb noticing from now on, until an exec. */
  async ignore(ranks: readonly Rank[]): Promise<void> {
    await sysrootTurns(this.gdb).alone(async () => {
      const own = await sysroot(this.gdb);
      for (const rank of ranks) {
        const [thread] = rank.threads;
        if (thread === undefined) continue;
        this.unseen.add(rank);
        this.ranks.add(rank);
        await setSysroot(thread, nowhere);
      }
      await setSysrootOfOthers(this.gdb, own);
    });
  }

  /** The rank, which is held, is watched again; gdb knows its libraries, but not their symbols. */
  async watch(rank: Rank): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined || !this.unseen.delete(rank)) return;
    // Alone, as the setting of one rank would else be undone by another one that has read it before.
    await sysrootTurns(this.gdb).alone(async () =>
      setSysroot(thread, (await this.canUseOurNames(rank)) ? '' : await sysroot(this.gdb)),
    );
  }

  /**
   * gdb opens files through the first thread of a process, and finds none once that has ended. By our names it finds the same
   * ones, unless a rank of it is in a container.
   */
  private async canUseOurNames({ process }: Rank): Promise<boolean> {
    if (process === undefined || !(await process.hasLostFirstThread())) return false;
    const processes = [...this.ranks].flatMap((rank) => rank.process ?? []);
    const views = await Promise.all(processes.map((each) => each.seesOurFiles()));
    return views.every((isOurs) => isOurs);
  }
}

/**
 * Runs `work`, in which gdb takes a process, without a file that has the name of its program. `findsLinker`: gdb looks for the
 * libraries afterwards. `mayLook`: it may do so by their names.
 */
export function withoutFiles(
  rank: Rank,
  { findsLinker, mayLook }: { findsLinker: boolean; mayLook: boolean },
  work: () => Promise<void>,
): Promise<void> {
  return sysrootTurns(rank.gdb).alone(async () => {
    const own = await sysroot(rank.gdb);
    await setSysrootOfOthers(rank.gdb, nowhere);
    try {
      await work();
      const [thread] = rank.threads;
      // It looks once for each name.
      if (!mayLook && thread !== undefined) await findSharedLibraries(thread);
    } finally {
      const [thread] = rank.threads;
      if (findsLinker && thread !== undefined) await setSysroot(thread, own);
      else await setSysrootOfOthers(rank.gdb, own);
    }
  });
}

/** When the setting changes, gdb searches again for libraries, but not in an inferior without a process. */
async function setSysrootOfOthers(gdb: Gdb, folder: string): Promise<void> {
  const spare = { gdb, threadGroup: await addInferior(gdb) };
  await setSysroot(spare, folder);
  await removeInferior(spare);
}
