/** Which ranks have a NaN or an infinity where: equal answers of ranks are merged. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import type { RankError, RankId } from '../../../plugin-api/mpi/records';
import { QueryError } from '../../../plugin-api/result';
import { parseQueryExpression } from '../../expressions/expression';
import { languageOf, NoFrameError } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { floatsOfExpression } from '../../gdb/python/float-places';
import { readOnly, WouldChangeError } from '../../gdb/mi/read-only';
import { canBeRead, type Rank } from '../../job/rank';
import { describeRanks } from '../../../plugin-api/answers/merge';
import { inFrameOf, TooLongError } from '../frame-search';
import type { JobQueries, NotEvaluated } from '../job-queries';
import { targetOf } from '../rank-ids';
import { memoryOf } from '../rank-images';
import type { Where } from '../rank-expressions';
import type { RankQueries } from '../rank-queries';
import type { ExpressionValues } from '../shown/expression-values';
import { notStopped } from '../why-no-answer';
import type { NanDocument } from '../../../plugin-api/answers/nan-records';
import { asQueryError, lookAt, searchVariables, type RankFinding, type Told } from './search-rank';

/** What to look at. Without expressions: all variables of the program's frames, and its global ones. */
export interface NanQuestion {
  ranks: readonly Rank[];
  expressions: readonly string[];
  /** Where expressions are evaluated; see RankExpressions.show. */
  where: (rank: Rank) => Where;
  /** Ends the search: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** So many of the ranks have been searched. */
  onProgress?: (done: number) => void;
}

export class NanQueries {
  constructor(
    private readonly queries: JobQueries,
    private readonly values: ExpressionValues,
  ) {}

  /** And which of the expressions no rank could evaluate. Rejects with the signal's reason. */
  async document(question: NanQuestion): Promise<{ document: NanDocument; notEvaluated: NotEvaluated[] }> {
    const { ranks, expressions, signal, onProgress } = question;
    const evaluated = new Set<string>();
    const refused = new Map<string, string>();
    let done = 0;
    const answers = await this.queries.ofEach(ranks, async (queries) => {
      try {
        if (!canBeRead(queries.rank)) throw notStopped(queries.rank);
        if (expressions.length === 0) return { finding: await searchVariables(queries, signal) };
        return { finding: await this.searchExpressions(queries, question, { evaluated, refused }) };
      } catch (error) {
        throw asQueryError(error);
      } finally {
        onProgress?.(++done);
      }
    });
    const found = answers.filter((answer) => 'finding' in answer);
    return {
      document: {
        schema: 'mpidbg/1',
        target: targetOf(ranks),
        found: byVariable(merged(found, ({ found: each }) => each)),
        notLookedAt: byVariable(merged(found, ({ notLookedAt }) => notLookedAt)),
        lookedAt: merged(found, ({ lookedAt }) => [lookedAt]),
        errors: answers.filter((answer): answer is RankError => 'error' in answer),
      },
      notEvaluated: (found.length > 0 ? expressions : [])
        .filter((expression) => !evaluated.has(expression))
        .map((expression) => ({ expression, refused: refused.get(expression) })),
    };
  }

  private async searchExpressions(
    queries: RankQueries,
    { expressions, where, signal }: NanQuestion,
    { evaluated, refused }: { evaluated: Set<string>; refused: Map<string, string> },
  ): Promise<RankFinding> {
    const stacks = new ThreadStacks();
    const told: Told[] = [];
    const failed: RankFinding['notLookedAt'] = [];
    for (const expression of expressions) {
      signal?.throwIfAborted();
      try {
        told.push(await this.placesOf(queries, { expression, where: where(queries.rank), signal }, stacks));
        evaluated.add(expression);
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === undefined) throw error;
        if (error instanceof WouldChangeError || error instanceof TooLongError) refused.set(expression, reason);
        failed.push({ expression, reason });
      }
    }
    const finding = await lookAt(memoryOf(queries.rank), told, signal);
    return { ...finding, notLookedAt: [...finding.notLookedAt, ...failed] };
  }

  private async placesOf(
    queries: RankQueries,
    { expression, where, signal }: { expression: string; where: Where; signal: AbortSignal | undefined },
    stacks: ThreadStacks,
  ): Promise<Told> {
    if (where.missing !== undefined) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', where.missing);
    const thread = where.thread ?? queries.rank.threads[0]!;
    const search = { stack: stacks.of(thread), code: await queries.code(), choice: where.frame };
    return inFrameOf(parseQueryExpression(expression).source, search, async (frame) => {
      const language = languageOf(frame);
      const reader = readOnly(thread, language);
      const source = await this.values.forGdb({ thread: reader, frame }, expression);
      const asked = { frame: frame.level, source, text: expression, language };
      const places = await floatsOfExpression(reader, asked, signal);
      return { places, functionOf: () => frame.function };
    });
  }
}

/** Undefined for an internal error, and for a gdb that is gone. */
function reasonOf(error: unknown): string | undefined {
  const told = asQueryError(error);
  return told instanceof QueryError || told instanceof NoFrameError ? told.message : undefined;
}

type Answered = RankId & { finding: RankFinding };

/** What ranks of one world have in common comes once. */
function merged<T extends object>(
  answers: readonly Answered[],
  of: (finding: RankFinding) => readonly T[],
): (T & { ranks: string })[] {
  const each = answers.flatMap(({ finding, ...rank }) => of(finding).map((value) => ({ rank, value })));
  const groups = groupedBy(each, ({ rank: { world }, value }) => JSON.stringify([world, value]));
  return [...groups.values()].map((group) => ({
    ranks: describeRanks(group.map(({ rank }) => rank)),
    ...group[0]!.value,
  }));
}

/** Those of one variable come together. */
function byVariable<T extends { expression: string; function?: string }>(rows: readonly T[]): T[] {
  return [...groupedBy(rows, ({ expression, function: name }) => `${name} ${expression}`).values()].flat();
}
