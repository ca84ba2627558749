/**
 * Whether gdb sees its ranks load libraries. It stops a rank several times for each, and Open MPI opens and closes about
 * 180 components in MPI_Init: with Open MPI 4.1.4 that was three quarters of all that gdb did until the first stop.
 *
 * gdb has no switch for it, but it finds the place to watch by opening the program's dynamic linker below its sysroot,
 * and each inferior keeps what came of that: it is led astray once, and nobody else is.
 */
import type { Gdb } from '../gdb/gdb';
import { addInferior, removeInferior } from '../gdb/mi/target-manipulation';
import { setSysroot, sysroot } from '../gdb/mi/file-commands';
import type { Rank } from './rank';

/** Where no dynamic linker is. */
const nowhere = '/nonexistent';

export class LibraryEvents {
  private readonly unseen = new Set<Rank>();

  constructor(private readonly gdb: Gdb) {}

  /** The ranks, which are held, load libraries unseen from now on, but not beyond an exec. */
  async ignore(ranks: readonly Rank[]): Promise<void> {
    const own = await sysroot(this.gdb);
    for (const rank of ranks) {
      const [thread] = rank.threads;
      if (thread === undefined) continue;
      this.unseen.add(rank);
      await setSysroot(thread, nowhere);
    }
    // An inferior without a process has no libraries to look for again when the setting changes.
    const spare = { gdb: this.gdb, threadGroup: await addInferior(this.gdb) };
    await setSysroot(spare, own);
    await removeInferior(spare);
  }

  /** The rank, which is held, is seen again; gdb knows its libraries, but not their symbols. */
  async watch(rank: Rank): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined || !this.unseen.delete(rank)) return;
    await setSysroot(thread, await sysroot(this.gdb));
  }
}
