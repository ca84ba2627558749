/** modules, loadedSources and source. */
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { readRegularFile } from '../../elf/byte-source';
import { fileListExecSourceFiles, fileListSharedLibraries } from '../../gdb/mi/symbol-query';
import { ProcessAccessError } from '../../hosts/process-access-error';
import type { Rank, RankThread } from '../../job/rank';
import { ignoreIfGone } from '../../job/rank-ended';
import type { JobQueries } from '../../query/job-queries';
import { wrongArguments } from '../client/errors';
import type { SourceFiles } from '../references/source-files';

/** In bytes: more than an editor shows. */
const maxSourceLength = 256 * 1024 * 1024;

export class Modules {
  constructor(
    private readonly queries: JobQueries,
    private readonly sources: Pick<SourceFiles, 'isHere' | 'text'>,
  ) {}

  /** A module of several ranks is reported once. */
  async modules(
    args: DebugProtocol.ModulesArguments,
    ranks: readonly Rank[],
  ): Promise<DebugProtocol.ModulesResponse['body']> {
    const found = new Map<string, DebugProtocol.Module>();
    for (const thread of firstThreads(ranks)) await this.addModules(found, thread).catch(ignoreIfEnded);
    const all = [...found.values()];
    const first = args.startModule ?? 0;
    const count = args.moduleCount === undefined || args.moduleCount === 0 ? all.length : args.moduleCount;
    return { modules: all.slice(first, first + count), totalModules: all.length };
  }

  private async addModules(found: Map<string, DebugProtocol.Module>, thread: RankThread): Promise<void> {
    const libraries = new Map((await fileListSharedLibraries(thread)).map((each) => [each.path, each]));
    for (const { path, isExecutable } of await this.queries.of(thread.rank).image().modules()) {
      if (found.has(path) || !path.startsWith('/')) continue;
      const library = libraries.get(path);
      const known = isExecutable || library?.hasSymbols === true;
      found.set(path, {
        id: path,
        name: basename(path),
        path,
        symbolStatus: known ? 'Symbols loaded' : 'Symbols not loaded',
        ...(library?.from === undefined ? {} : { addressRange: `${library.from}-${library.to ?? ''}` }),
      });
    }
  }

  /** Those that are on this machine. */
  async loadedSources(ranks: readonly Rank[]): Promise<DebugProtocol.LoadedSourcesResponse['body']> {
    const paths = new Set<string>();
    const programs = new Set<string>();
    const addSources = async (thread: RankThread): Promise<void> => {
      const modules = await this.queries.of(thread.rank).image().modules();
      const program = modules.find(({ isExecutable }) => isExecutable)?.path ?? thread.rank.label;
      if (programs.has(program)) return;
      const files = await fileListExecSourceFiles(thread);
      programs.add(program);
      for (const path of files) paths.add(path);
    };
    for (const thread of firstThreads(ranks)) await addSources(thread).catch(ignoreIfEnded);
    const sources = await Promise.all(
      [...paths]
        .sort()
        .map(async (path) => ((await this.sources.isHere(path)) ? [{ name: basename(path), path }] : [])),
    );
    return { sources: sources.flat() };
  }

  /** Files of this machine are named by their path, those that only a rank has by the number that the client was told. */
  async source({
    source,
  }: Pick<DebugProtocol.SourceArguments, 'source'>): Promise<DebugProtocol.SourceResponse['body']> {
    const path = source?.path;
    const text = this.sources.text(source?.sourceReference);
    if (text !== undefined)
      return text.then(
        (content) => ({ content }),
        (error: Error) => {
          throw wrongArguments('source', `${path ?? 'it'} cannot be read through its rank: ${error.message}`);
        },
      );
    if (path === undefined) {
      const what = source?.name ?? 'code without a path';
      throw wrongArguments('source', `there is no source for ${what} on this machine, or it was compiled without -g`);
    }
    try {
      return { content: readRegularFile(path, maxSourceLength).toString('utf8') };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw wrongArguments('source', `${path} cannot be read (${why}): map its folder with "sourceFileMap"`);
    }
  }
}

/** A rank that ends while it is asked has none any more; the others have theirs. */
function ignoreIfEnded(error: unknown): void {
  if (!(error instanceof ProcessAccessError && error.why === 'exited')) ignoreIfGone(error);
}

function firstThreads(ranks: readonly Rank[]): RankThread[] {
  return ranks.flatMap(({ threads }) => threads.slice(0, 1));
}
