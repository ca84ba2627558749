/** When gdb loads the symbols of the libraries of its ranks. */
import type { Gdb } from '../gdb/gdb';
import { prepareLibraryScript, readSymbolsThatMatter } from '../gdb/python/library-script';
import { preparePrinters } from '../gdb/python/printer-modules';
import { NoPythonError } from '../gdb/python/run-python';
import { LibraryEvents } from './library-events';
import { RankFiles } from './rank-files';
import type { Rank } from './rank';

export class LibrarySymbols {
  private readonly libraryEvents: LibraryEvents;
  private readonly files: RankFiles;
  /** Those whose libraries' symbols have all been read. */
  private readonly complete = new Set<Rank>();
  /** Those in which symbols that matter are read when a library is loaded. */
  private readonly attentive = new Set<Rank>();
  private scripts: Promise<boolean> | undefined;

  constructor(private readonly gdb: Gdb) {
    this.libraryEvents = new LibraryEvents(gdb);
    this.files = new RankFiles(gdb);
    gdb.on('libraryLoaded', (threadGroup) => {
      for (const rank of this.complete) if (rank.threadGroup === threadGroup) this.complete.delete(rank);
    });
  }

  /** gdb has read the symbols of all libraries of the rank. */
  has(rank: Rank): boolean {
    return this.complete.has(rank);
  }

  /** What gdb has read of the rank's libraries may no longer be what the rank has. */
  areOutdated(rank: Rank): Promise<boolean> {
    return this.files.haveChanged(rank);
  }

  /**
   * Loads the symbols of all libraries that the rank has now; from then on gdb reads relevant ones by itself. Not at
   * the program's entry: watching the libraries that MPI_Init opens and closes would take longer than all the rest.
   */
  async load(rank: Rank, isEntry: boolean): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined) return;
    if (this.complete.has(rank) && !(await this.files.haveChanged(rank))) return;
    if (!isEntry) await this.attend(rank);
    await preparePrinters(this.gdb);
    await this.files.read(rank);
    // Only now: gdb has told of the libraries that it has found on the way.
    if (!isEntry && rank.seesLoads) this.complete.add(rank);
  }

  /** Libraries that the ranks, which are held, load come and go unseen, until `load` or `loadAtOnce`. */
  async ignore(ranks: readonly Rank[]): Promise<void> {
    await this.libraryEvents.ignore(ranks);
  }

  /** Breakpoints in libraries bind as soon as these are loaded; MPI_Init takes longer so. The ranks are held. */
  async loadAtOnce(ranks: readonly Rank[]): Promise<void> {
    for (const rank of ranks) if (rank.alive && rank.isHeld) await this.attend(rank);
  }

  private async attend(rank: Rank): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined || rank.state === 'core' || this.attentive.has(rank)) return;
    this.attentive.add(rank);
    await this.libraryEvents.watch(rank);
    this.files.listenFor(rank);
    this.scripts ??= this.prepare();
    if (await this.scripts) await readSymbolsThatMatter(thread);
  }

  /** False: this gdb has no Python. A library that is loaded has symbols from the next stop on. */
  private async prepare(): Promise<boolean> {
    try {
      await prepareLibraryScript(this.gdb);
      return true;
    } catch (error) {
      if (!(error instanceof NoPythonError)) throw error;
      return false;
    }
  }
}
