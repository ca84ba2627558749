/** Queries of a whole job: every rank is asked, one rank's failure never fails the others. */
import { crashLines } from '../../plugin-api/answers/text/crash-lines';
import type {
  HandleKind,
  Answer,
  Document,
  RankAnswer,
  RankError,
  RankId,
  StacksDocument,
} from '../../plugin-api/mpi/records';
import type { MpiConstant } from '../../plugin-api/mpi/plugin';
import type { OmptThread } from '../../plugin-api/overlays/ompt-records';
import { guard, QueryError } from '../../plugin-api/result';
import type { Annotation } from '../fortran/annotations';
import { constantAt } from '../fortran/constant-at';
import { IntegerHandles } from '../fortran/integer-handles';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Frame } from '../stacks/frame';
import type { HandleAnswer } from '../gdb/python/handle-questions';
import type { AdviceWords } from '../job/advice';
import type { AbsentRank, Job } from '../job/job';
import { canBeRead, type Rank, type RankThread } from '../job/rank';
import { firstWorld } from '../../plugin-api/answers/rank-set';
import { isStoppedBySignal } from './found-as';
import { failureOf } from './why-no-answer';
import { absentId, idInJob, targetOf, whyAbsent } from './rank-ids';
import { listableKinds } from './list-handles';
import type { Language } from '../expressions/expression';
import { ThreadStacks } from '../expressions/thread-stack';
import type { TypeMeaning } from '../expressions/handle-types';
import type { HandleForm } from '../values/found-handle';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { Where } from './rank-expressions';
import { RankQueries } from './rank-queries';
import { mergeStacks, type RankStacks, type StackExtent, type Whereabouts } from './across-ranks/stacks';
import { unseenThreadsOf } from './across-ranks/unseen-threads';

/** An expression that no rank could evaluate. `refused`: why it was not even tried. */
export interface NotEvaluated {
  expression: string;
  refused: string | undefined;
}

/** A Document, and which of its expressions no rank could evaluate. */
export interface ShowOutcome {
  document: Document;
  notEvaluated: NotEvaluated[];
}

export class JobQueries {
  private readonly ranks = new Map<Rank, RankQueries>();

  constructor(
    private readonly job: Job,
    private readonly adviceWords: AdviceWords,
    /** The user's annotations of INTEGERs. */
    readonly integers = new IntegerHandles(adviceWords),
    /** Reads the lines of files. */
    private readonly gdb = 'gdb',
  ) {
    job.on('continued', (rank) => this.forget(rank));
    job.on('rankEnded', (rank) => this.ranks.delete(rank));
    job.on('rankReturned', (rank) => this.ranks.delete(rank));
  }

  /** The world that is meant where ranks are named without one. */
  get firstWorld(): string {
    return firstWorld(this.job.ranks);
  }

  of(rank: Rank): RankQueries {
    let queries = this.ranks.get(rank);
    if (queries === undefined) {
      queries = new RankQueries(rank, this.job.plugins, this.integers, this.adviceWords, this.gdb);
      this.ranks.set(rank, queries);
    }
    return queries;
  }

  /** Never rejects because of the rank: the Answer then has the reason. */
  async query(rank: Rank, kind: HandleKind, handle: bigint): Promise<Answer> {
    try {
      return await this.of(rank).query(kind, handle);
    } catch (error) {
      return { kind, ...failureOf(rank, error) };
    }
  }

  /** What a variable's value, read as a handle of this kind, stands for. Never rejects for what a rank did. */
  async queryValue(rank: Rank, kind: HandleKind, value: bigint, form: HandleForm): Promise<Answer> {
    try {
      return await this.of(rank).queryValue(kind, value, form);
    } catch (error) {
      return { kind, ...failureOf(rank, error) };
    }
  }

  /** For a rank that gdb holds while it does nothing else: memory as it is at this moment. Never rejects because of the rank. */
  async handleWithoutGdb(
    rank: Rank,
    kind: HandleKind,
    value: bigint,
    form: HandleForm,
    isForFacts = false,
  ): Promise<HandleAnswer> {
    try {
      const facts = isForFacts ? await this.of(rank).handleFacts(kind, value, form) : undefined;
      return facts ?? (await this.of(rank).handleWithoutGdb(kind, value, form));
    } catch (error) {
      return { text: '', why: failureOf(rank, error).reason };
    }
  }

  /** See RankExpressions.meaning; a type that cannot be asked for is no handle. */
  meaning(rank: Rank, type: string): Promise<TypeMeaning> {
    return this.of(rank).expressions.meaning(type);
  }

  /** See RankExpressions.isHandleName; where MPI is not known, nothing is. */
  async isHandleName(rank: Rank, source: string): Promise<boolean> {
    try {
      return await this.of(rank).expressions.isHandleName(source);
    } catch (error) {
      if (error instanceof QueryError) return false;
      throw error;
    }
  }

  /** See RankExpressions.gdbExpression; where MPI is not known, its names stay as they are. */
  async gdbExpression(thread: RankThread, language: Language, source: string): Promise<string> {
    try {
      return await this.of(thread.rank).expressions.gdbExpression(source, language);
    } catch (error) {
      if (error instanceof QueryError) return this.of(thread.rank).expressions.withTexts(source, language);
      throw error;
    }
  }

  /** MPI's own names, of the first rank whose MPI can be read; where none is loaded yet, of the MPI that a program needs. */
  async constants(): Promise<ReadonlyMap<string, MpiConstant>> {
    for (const rank of this.job.ranks) {
      const found = await guard(async () => (await this.of(rank).mpi())?.constants());
      if (found.ok && found.value !== undefined) return found.value;
    }
    for (const rank of this.job.ranks) {
      const needed = await guard(() => this.of(rank).neededMpi());
      if (needed.ok && needed.value !== undefined) return this.job.plugins.constants(needed.value);
    }
    return new Map();
  }

  /** Whether the programs have such a variable in such a scope; undefined: no source known so far has the scope. */
  async isDeclared(annotation: Annotation): Promise<boolean | undefined> {
    let found: boolean | undefined;
    const asked = new Set<string>();
    for (const rank of this.job.ranks.filter(canBeRead)) {
      const [thread] = rank.threads;
      const modules = await guard(() => this.of(rank).image().modules());
      const program = modules.ok ? modules.value.find(({ isExecutable }) => isExecutable)?.path : undefined;
      if (thread === undefined || program === undefined || asked.has(program)) continue;
      asked.add(program);
      found = (await this.integers.isDeclared(thread, program, annotation)) ?? found;
      if (found === true) return true;
    }
    return found;
  }

  /** As constantAt. */
  async fortranConstant(evalFrame: EvaluationFrame, source: string): Promise<string | undefined> {
    const found = await guard(async () => constantAt(evalFrame, this.of(evalFrame.thread.rank).image(), source));
    return found.ok ? found.value : undefined;
  }

  /** See RankExpressions.evaluationFrame. */
  evaluationFrame(thread: RankThread, frame: Frame): EvaluationFrame {
    return this.of(thread.rank).expressions.evaluationFrame(thread, frame);
  }

  /** `where`: which thread and frame of each rank; default: see RankExpressions.show. */
  async show(
    ranks: readonly Rank[],
    expressions: readonly string[],
    where: (rank: Rank) => Where = () => ({}),
  ): Promise<ShowOutcome> {
    const evaluated = new Set<string>();
    const refused = new Map<string, string>();
    const answered = await this.ask(ranks, async (queries) => {
      const stacks = new ThreadStacks();
      const answers: (readonly Answer[])[] = [];
      for (const expression of expressions) {
        const outcome = await queries.expressions.show(expression, where(queries.rank), stacks);
        if (outcome.evaluated) evaluated.add(expression);
        if (outcome.refused !== undefined) refused.set(expression, outcome.refused);
        answers.push(outcome.answers);
      }
      return { answers: answers.flat() };
    });
    const isAsked = answered.some((rank) => 'answers' in rank);
    return {
      document: { schema: 'mpidbg/1', target: targetOf(ranks), ranks: answered },
      notEvaluated: (isAsked ? expressions : [])
        .filter((expression) => !evaluated.has(expression))
        .map((expression) => ({ expression, refused: refused.get(expression) })),
    };
  }

  /** Every live handle of these kinds. A status is memory, not an object: it cannot be listed. */
  async handles(
    ranks: readonly Rank[],
    kinds: readonly HandleKind[] = listableKinds,
    internal = false,
  ): Promise<Document> {
    const answered = await this.ask(ranks, (queries) => queries.handles(kinds, internal));
    return { schema: 'mpidbg/1', target: targetOf(ranks), ranks: answered };
  }

  /** The stacks of all threads, merged. `withHelpers`: with MPI's own threads, as far as the roles of threads are known. */
  async stacks(ranks: readonly Rank[], extent: StackExtent = 'calls', withHelpers = true): Promise<StacksDocument> {
    const errors: RankError[] = [];
    const read = await Promise.all(
      ranks.map(async (rank): Promise<RankStacks[]> => {
        try {
          const unseenThreads = await unseenThreadsOf(rank);
          const stacks = await this.of(rank).stacks.ofThreads(withHelpers);
          return [{ id: this.idOf(rank), ...stacks, unseenThreads, isStopped: isStoppedBySignal(rank) }];
        } catch (error) {
          errors.push({ ...this.idOf(rank), error: failureOf(rank, error) });
          return [];
        }
      }),
    );
    errors.push(...this.unopened(ranks));
    return mergeStacks(read.flat(), errors, targetOf(ranks), extent);
  }

  /** Where the rank is, in a few words; undefined while that is unknown. */
  async whereabouts(rank: Rank, thread?: RankThread): Promise<Whereabouts | undefined> {
    try {
      return await this.of(rank).stacks.whereabouts(thread);
    } catch (error) {
      // The rank has run again while gdb was asked.
      if (!(error instanceof GdbError)) failureOf(rank, error);
      return undefined;
    }
  }

  /** What the OpenMP runtime has told of the rank's threads; empty where it tells nothing, and while that is unknown. */
  async openMpThreads(rank: Rank): Promise<ReadonlyMap<RankThread, OmptThread>> {
    try {
      return await this.of(rank).stacks.openMpThreads();
    } catch (error) {
      if (!(error instanceof GdbError)) failureOf(rank, error);
      return new Map();
    }
  }

  /** How the ranks of core files died: "rank 3: SIGSEGV at solver.f90:120, …", one line for each way. */
  async crashes(ranks: readonly Rank[]): Promise<string[]> {
    const told = await Promise.all(
      ranks.map(async (rank) => ({ rank: this.idOf(rank), crash: await this.of(rank).crash() })),
    );
    return crashLines(told);
  }

  /** What is known of each rank's MPI, without answers. */
  async info(ranks: readonly Rank[]): Promise<Document> {
    return {
      schema: 'mpidbg/1',
      target: targetOf(ranks),
      ranks: await this.ask(ranks, async (queries) => ({
        answers: [],
        ...(await queries.state()),
        ...(await queries.threadLevel()),
        ...(await queries.firstThread()),
        ...queries.stoppedBySignal(),
      })),
    };
  }

  private ask(
    ranks: readonly Rank[],
    answersOf: (queries: RankQueries) => Promise<Omit<RankAnswer, keyof RankId | 'implementation'>>,
  ): Promise<(RankAnswer | RankError)[]> {
    return this.ofEach(ranks, async (queries) => {
      const [implementation, answers] = await Promise.all([queries.implementation(), answersOf(queries)]);
      return { implementation, ...answers };
    });
  }

  /** What each rank answers, with its id, or why it does not; last the core files that are of no rank. */
  async ofEach<T extends object>(
    ranks: readonly Rank[],
    answerOf: (queries: RankQueries) => Promise<T>,
  ): Promise<((RankId & T) | RankError)[]> {
    const answers = await Promise.all(
      ranks.map(async (rank) => {
        const id = this.idOf(rank);
        try {
          return { ...id, ...(await answerOf(this.of(rank))) };
        } catch (error) {
          return { ...id, error: failureOf(rank, error) };
        }
      }),
    );
    return [...answers, ...this.unopened(ranks)];
  }

  /** Core files that could not be opened, and ranks that have ended, belong to the whole job. */
  unopened(ranks: readonly Rank[]): RankError[] {
    if (ranks.length < this.job.ranks.length) return [];
    const unopened = this.job.unopened.map(({ core, reason }): RankError => ({
      rank: null,
      core,
      error: { code: 'MPIDBG_ERR_UNAVAILABLE', reason },
    }));
    const dead = this.absentAmong(ranks).map((rank): RankError => ({
      ...absentId(rank),
      error: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: whyAbsent(rank) },
    }));
    return [...dead, ...unopened];
  }

  /** Ranks that cannot be looked at and are part of the whole job. */
  absentAmong(ranks: readonly Rank[]): readonly AbsentRank[] {
    return ranks.length < this.job.ranks.length ? [] : this.job.absent;
  }

  /** Says which MPI_COMM_WORLD, where the job has several. */
  idOf(rank: Rank): RankId {
    return idInJob(this.job, rank);
  }

  private forget(rank: Rank): void {
    try {
      this.ranks.get(rank)?.forget();
    } catch (error) {
      // A rank that has ended meanwhile: the job reports its end.
      if (!(error instanceof QueryError)) throw error;
      this.ranks.delete(rank);
    }
  }
}
