/**
 * The files that gdb reads the symbols of a rank from: of the libraries that it finds by itself, those that the rank has loaded, and
 * the others where they still can be read.
 */
import { ProcessAccessError } from '../hosts/process-access-error';
import { symbolFilesOf, type SymbolFiles } from '../images/live/symbol-files';
import type { Gdb } from '../gdb/gdb';
import { addSymbolFile, removeSymbolFile, sharedLibrary } from '../gdb/mi/file-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import { addedFileIn } from '../gdb/python/library-script';
import type { Rank } from './rank';
import { ownRank } from './rank-record';

export class RankFiles {
  /** The paths of files that gdb did not find by itself, by an address in them. */
  private readonly added = new Map<Rank, Map<bigint, string>>();

  constructor(gdb: Gdb) {
    gdb.on('printed', (line, from) => {
      const file = from === 'log' ? addedFileIn(line) : undefined;
      if (file === undefined) return;
      for (const [rank, added] of this.added)
        if (rank.threadGroup === `i${file.inferior}`) added.set(BigInt(file.at), file.path);
    });
  }

  /** Listens to what gdb reads by itself when the rank loads a library. */
  listenFor(rank: Rank): Map<bigint, string> {
    const added = this.added.get(rank) ?? new Map<bigint, string>();
    this.added.set(rank, added);
    return added;
  }

  /** Loads the symbols of all libraries that the rank has now. Rejects with GdbError. */
  async read(of: Rank): Promise<void> {
    const rank = ownRank(of);
    const [thread] = rank.threads;
    if (thread === undefined) return;
    const files = await filesOf(rank);
    await sharedLibrary(thread, files?.found);
    if (files === undefined) return;
    rank.loadedFiles = files.loaded;
    rank.lostFiles = files.lost;
    const added = this.listenFor(rank);
    const wanted = new Map(files.named.map((file) => [file.at, file]));
    for (const [at, path] of [...added]) {
      if (wanted.get(at)?.path === path) continue;
      added.delete(at);
      await removeSymbolFile(thread, at).catch(ignoreForgotten);
    }
    for (const { path, bias, at } of wanted.values()) {
      if (added.has(at)) continue;
      added.set(at, path);
      await addSymbolFile(thread, path, bias);
    }
  }
}

/** Undefined for a core file, and for a process of which gdb sees more than we do. */
async function filesOf({ process }: Rank): Promise<SymbolFiles | undefined> {
  if (process === undefined) return undefined;
  try {
    return await symbolFilesOf(process);
  } catch (error) {
    if (error instanceof ProcessAccessError) return undefined;
    throw error;
  }
}

/** gdb has done so itself: the rank has executed another program. */
function ignoreForgotten(error: unknown): void {
  if (!(error instanceof GdbError)) throw error;
}
