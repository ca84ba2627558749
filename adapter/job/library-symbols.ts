/** When gdb loads the symbols of the libraries of its ranks. */
import { sharedLibrary } from '../gdb/file-commands';
import type { Gdb } from '../gdb/gdb';
import { gdbSet } from '../gdb/support-commands';
import { LibraryEvents } from './library-events';
import type { Rank } from './rank';

export class LibrarySymbols {
  private readonly libraryEvents: LibraryEvents;
  private readonly withSymbols = new Set<Rank>();
  private solibsLoadThemselves = false;

  constructor(private readonly gdb: Gdb) {
    this.libraryEvents = new LibraryEvents(gdb);
  }

  /** gdb loads all symbols of the rank by itself. */
  has(rank: Rank): boolean {
    return this.withSymbols.has(rank);
  }

  /**
   * Loads the symbols of all libraries that the rank has now; from then on gdb does it by itself. Not yet at the entry:
   * the libraries that MPI_Init opens and closes would take longer than all the rest (3.7 s instead of 2.1 s).
   */
  async load(rank: Rank, isEntry: boolean): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined || this.withSymbols.has(rank)) return;
    if (!isEntry) {
      await this.comeWithLibraries();
      await this.libraryEvents.watch(rank);
      this.withSymbols.add(rank);
    }
    await sharedLibrary(thread);
  }

  /** Libraries that the ranks, which are held, load come and go unseen, until `load` or `loadAtOnce`. */
  async ignore(ranks: readonly Rank[]): Promise<void> {
    await this.libraryEvents.ignore(ranks);
  }

  /** Breakpoints in libraries bind as soon as these are loaded; MPI_Init takes longer so. The ranks are held. */
  async loadAtOnce(ranks: readonly Rank[]): Promise<void> {
    for (const rank of ranks) if (rank.alive && rank.isHeld) await this.libraryEvents.watch(rank);
    await this.comeWithLibraries();
  }

  private async comeWithLibraries(): Promise<void> {
    if (this.solibsLoadThemselves) return;
    this.solibsLoadThemselves = true;
    await gdbSet(this.gdb, 'auto-solib-add', 'on');
  }
}
