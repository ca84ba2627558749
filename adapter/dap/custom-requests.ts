/** Requests of our own: mpidbg/ranks, mpidbg/show, mpidbg/handles, mpidbg/stacks and mpidbg/annotate. */
import type { Document, HandleKind, StacksDocument } from '../../plugin-api/mpi/records';
import { handleKinds } from '../../plugin-api/mpi/describe';
import type { Job } from '../job/job';
import type { Rank, RankState } from '../job/rank';
import { isDesignator, type Annotation } from '../fortran/annotations';
import { parseRankSet } from '../job/rank-set';
import { listableKinds, type JobQueries } from '../query/job-queries';
import type { Where } from '../query/rank-queries';
import type { Client } from './client/connection';
import { noSuchVariable, wrongArguments } from './client/errors';
import { canBeRead, type Focus } from './ranks/focus';
import type { FrameRef, Frames } from './references/frames';

export interface RanksBody {
  ranks: {
    rank: number | null;
    host: string;
    pid?: number;
    core?: string;
    state: RankState;
    exitCode?: number;
    signal?: string;
    threadIds: number[];
    /** With `places`: where it stands, "MPI_Barrier" or "usleep at io.c:88"; left out while that cannot be told. */
    place?: string;
  }[];
}

interface ShowArguments {
  expressions?: unknown;
  ranks?: unknown;
  frameId?: unknown;
}

interface HandlesArguments {
  kinds?: unknown;
  ranks?: unknown;
}

interface AnnotateArguments {
  variable?: unknown;
  kind?: unknown;
  function?: unknown;
  file?: unknown;
}

interface AnnotateBody {
  /** Why the annotation may be about nothing. */
  note?: string;
}

interface StacksArguments {
  ranks?: unknown;
  full?: unknown;
  /** false: without the MPI library's own threads. */
  helperThreads?: unknown;
}

export class CustomRequests {
  constructor(
    private readonly job: Job,
    private readonly focus: Focus,
    private readonly frames: Frames,
    private readonly queries: JobQueries,
    private readonly client: Client,
  ) {}

  ranks(): RanksBody {
    return { ranks: this.job.ranks.map((rank) => describeRank(rank)) };
  }

  /** The same with the place where each rank stands. */
  async ranksWithPlaces(): Promise<RanksBody> {
    return {
      ranks: await Promise.all(
        this.job.ranks.map(async (rank) => {
          const place = canBeRead(rank) ? await this.queries.whereabouts(rank) : undefined;
          return { ...describeRank(rank), ...(place === undefined ? {} : { place }) };
        }),
      ),
    };
  }

  async show({ expressions, ranks, frameId }: ShowArguments): Promise<Document> {
    if (!isTexts(expressions) || expressions.length === 0)
      throw wrongArguments('mpidbg/show', '"expressions" has to be a list of at least one expression');
    const set = this.rankSet('mpidbg/show', ranks);
    const ref = frameId === undefined ? undefined : this.frames.get(Number(frameId));
    return this.showExpressions(expressions, set ?? (ref === undefined ? this.focus.ranks : [ref.thread.rank]), ref);
  }

  async handles({ kinds, ranks }: HandlesArguments): Promise<Document> {
    if (kinds !== undefined && !isKinds(kinds))
      throw wrongArguments('mpidbg/handles', `"kinds" has to be a list of ${listableKinds.join(', ')}`);
    return this.queries.handles(this.rankSet('mpidbg/handles', ranks) ?? this.focus.ranks, kinds);
  }

  async stacks({ ranks, full, helperThreads }: StacksArguments): Promise<StacksDocument> {
    return this.queries.stacks(
      this.rankSet('mpidbg/stacks', ranks) ?? this.focus.ranks,
      full === true ? 'all' : 'calls',
      helperThreads !== false,
    );
  }

  /** What `mpi stacks` prints: the program's own frames and threads. */
  async programStacks(): Promise<StacksDocument> {
    return this.queries.stacks(this.focus.ranks, 'program', false);
  }

  /** From now on, in all ranks. The views of the client that show values are out of date then. */
  async annotate({ variable, kind, function: fn, file }: AnnotateArguments): Promise<AnnotateBody> {
    const fail = (what: string): Error => wrongArguments('mpidbg/annotate', what);
    if (typeof variable !== 'string' || !isDesignator(variable))
      throw fail('"variable" has to be the name of a variable or component, such as comm or grid%comm');
    if (kind !== null && kind !== 'inferred' && !handleKinds.includes(kind as HandleKind))
      throw fail(
        `"kind" has to be null (not a handle), "inferred" (what the program says) or one of ${handleKinds.join(', ')}`,
      );
    if (!isOptionalText(fn)) throw fail('"function" has to be the name of a function');
    if (!isOptionalText(file)) throw fail('"file" has to be the path of a source file');
    const scope = { variable, ...(fn === undefined ? {} : { function: fn }), ...(file === undefined ? {} : { file }) };
    const body = kind === 'inferred' ? {} : await this.checkDeclared({ ...scope, kind: kind as HandleKind | null });
    const { annotations } = this.queries.integers;
    if (kind === 'inferred') annotations.remove(scope);
    else annotations.add({ ...scope, kind: kind as HandleKind | null });
    this.client.send('invalidated', { areas: ['variables'] });
    return body;
  }

  /** Throws RequestError when there is such a scope without such a variable. */
  private async checkDeclared(annotation: Annotation): Promise<AnnotateBody> {
    const isDeclared = await this.queries.isDeclared(annotation);
    if (isDeclared === true) return {};
    const { variable, function: fn, file } = annotation;
    if (fn === undefined && file === undefined)
      return { note: `kept, though no Fortran source that is known by now has a variable ${variable}` };
    const scope = [fn, file].filter((part) => part !== undefined).join(' of ');
    if (isDeclared === false) throw noSuchVariable(variable, scope);
    return { note: `kept, but not checked: no Fortran source that is known by now has ${scope}` };
  }

  /** The ranks that the argument names; undefined when it is left out. */
  private rankSet(request: string, ranks: unknown): readonly Rank[] | undefined {
    if (ranks !== undefined && typeof ranks !== 'string')
      throw wrongArguments(request, '"ranks" has to be a rank set such as "0-3,7"');
    return ranks === undefined || ranks.trim() === '' ? undefined : this.job.select(parseRankSet(ranks));
  }

  /** `ref`: the frame whose function and depth the other ranks' frames are to be like. */
  async showExpressions(
    expressions: readonly string[],
    ranks: readonly Rank[],
    ref: FrameRef | undefined,
  ): Promise<Document> {
    const where = new Map<Rank, Where>();
    for (const rank of ref === undefined ? [] : ranks) {
      if (rank.state !== 'stopped' && rank.state !== 'core') continue;
      const like = await this.frames.corresponding(rank, ref);
      if (like !== undefined) where.set(rank, { thread: like.thread, frame: like.frame.level });
    }
    return (await this.queries.show(ranks, expressions, (rank) => where.get(rank) ?? {})).document;
  }
}

function describeRank(rank: Rank): RanksBody['ranks'][number] {
  const died = rank.state === 'core' ? rank.current?.stop?.signal?.name : undefined;
  return {
    rank: rank.number,
    host: rank.host,
    ...(rank.pid === undefined ? {} : { pid: rank.pid }),
    ...(rank.core === undefined ? {} : { core: rank.core }),
    state: rank.state,
    ...rank.end,
    ...(died === undefined ? {} : { signal: died }),
    threadIds: rank.threads.map(({ id }) => id),
  };
}

function isKinds(value: unknown): value is HandleKind[] {
  return isTexts(value) && value.every((kind) => (listableKinds as string[]).includes(kind));
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
