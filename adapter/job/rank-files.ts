/**
 * The files that gdb reads the symbols of a rank from: of the libraries that it finds by itself, those that the rank has loaded, and
 * the others where they still can be read.
 */
import { isDeepStrictEqual } from 'node:util';
import { ProcessAccessError } from '../hosts/process-access-error';
import { readModules } from '../images/live/live-modules';
import { symbolFilesOf, type FoundFile, type NamedFile, type ReadFiles } from '../images/live/symbol-files';
import type { Gdb } from '../gdb/gdb';
import { addSymbolFile, removeSymbolFile, sharedLibrary } from '../gdb/mi/file-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import { forgetLibraries } from '../gdb/python/forget-libraries';
import { fileNewsIn, rememberAddedFile } from '../gdb/python/library-script';
import { NoPythonError } from '../gdb/python/run-python';
import { FileLooks, type NamedStates } from './file-looks';
import type { Rank } from './rank';
import { ownRank } from './rank-record';

/** `codeState`: as readModules tells it. */
interface KnownFiles extends NamedStates {
  readonly codeState: string;
}

type Added = Pick<NamedFile, 'path' | 'file'>;

export class RankFiles {
  /** Files that gdb did not find by itself, by an address in them. */
  private readonly added = new Map<Rank, Map<bigint, Added>>();

  /** What gdb has found by itself and read. */
  private readonly found = new Map<Rank, ReadFiles>();
  /** The files that this was read of. */
  private readonly known = new Map<Rank, KnownFiles>();
  private readonly looks = new FileLooks();

  constructor(gdb: Gdb) {
    gdb.on('printed', (line, from) => {
      const news = from === 'log' ? fileNewsIn(line) : undefined;
      if (news === undefined) return;
      for (const [rank, added] of this.added) {
        if (rank.threadGroup !== `i${news.inferior}`) continue;
        if (news.kind === 'added') added.set(BigInt(news.at), news);
        else added.delete(BigInt(news.at));
      }
    });
  }

  /** Listens to what gdb reads by itself when the rank loads a library. */
  listenFor(rank: Rank): Map<bigint, Added> {
    const added = this.added.get(rank) ?? new Map<bigint, Added>();
    this.added.set(rank, added);
    return added;
  }

  /** Whether a file of the rank, or which of them it has, has changed since its symbols were read. */
  async haveChanged(rank: Rank): Promise<boolean> {
    const known = this.known.get(rank);
    if (known === undefined || rank.process === undefined) return false;
    const states = await this.looks.statesNow(rank.process, known);
    if (!isDeepStrictEqual(states, known.states)) return true;
    // For other ranks gdb tells which libraries they load.
    return !rank.seesLoads && (await knownFilesOf(rank))?.codeState !== known.codeState;
  }

  /** Loads the symbols of all libraries that the rank has now. Rejects with GdbError. */
  async read(of: Rank): Promise<void> {
    const rank = ownRank(of);
    const [thread] = rank.threads;
    if (thread === undefined) return;
    const known = await knownFilesOf(rank);
    if (known === undefined) {
      await sharedLibrary(thread);
      return;
    }
    let files = await symbolFilesOf(rank.process!, this.found.get(rank));
    const { mustForget } = files;
    // What gdb has read of files that have other names by now, it forgets, too.
    if (mustForget) files = await symbolFilesOf(rank.process!);
    rank.loadedFiles = files.loaded;
    rank.lostFiles = files.lost;
    rank.seesLoads = files.findsLinker;
    if (mustForget) {
      const { found } = files;
      await forgetLibraries(thread, () => sharedLibrary(thread, namesOf(found))).catch(ignoreMissingPython);
    } else await sharedLibrary(thread, files.findsAll ? 'all' : namesOf(files.found));
    this.known.set(rank, known);
    this.found.set(rank, new Map(files.found.map(({ at, file }) => [at, file])));
    const added = this.listenFor(rank);
    const wanted = new Map(files.named.map((file) => [file.at, file]));
    for (const [at, { file }] of [...added]) {
      // Where a file has lost its name since, gdb still has what the rank has loaded.
      if (wanted.get(at)?.file === file) continue;
      added.delete(at);
      await removeSymbolFile(thread, at).catch(ignoreForgotten);
    }
    for (const { path, file, bias, at } of wanted.values()) {
      if (added.has(at)) continue;
      added.set(at, { path, file });
      await addSymbolFile(thread, path, bias);
      await remember(rank, file, at);
    }
  }
}

/** Undefined for a core file, and for a process of which gdb sees more than we do. */
async function knownFilesOf({ process }: Rank): Promise<KnownFiles | undefined> {
  if (process === undefined) return undefined;
  const memory = process.openMemory();
  try {
    const [{ codeState, names, states }, view] = await Promise.all([readModules(process, memory), process.fileView()]);
    return { key: [view ?? process.pid, ...names].join('\0'), names, states, codeState };
  } catch (error) {
    if (error instanceof ProcessAccessError) return undefined;
    throw error;
  } finally {
    memory.close();
  }
}

function namesOf(found: readonly FoundFile[]): string[] {
  return found.map(({ name }) => name);
}

async function remember({ gdb, threadGroup }: Rank, file: string, at: bigint): Promise<void> {
  const inferior = Number(threadGroup.slice(1));
  await rememberAddedFile(gdb, inferior, { file, at: `0x${at.toString(16)}` }).catch(ignoreMissingPython);
}

function ignoreMissingPython(error: unknown): void {
  if (!(error instanceof NoPythonError)) throw error;
}

/** gdb has done so itself: the rank has executed another program. */
function ignoreForgotten(error: unknown): void {
  if (!(error instanceof GdbError)) throw error;
}
