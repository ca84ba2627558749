/** The values of expressions in many ranks: what `print` and mpidbg/value answer. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import { QueryError } from '../../../plugin-api/result';
import { parseQueryExpression } from '../../expressions/expression';
import { languageOf, NoFrameError, type ThreadFrame } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { readOnly, WouldChangeError } from '../../gdb/mi/read-only';
import { GdbError } from '../../gdb/mi/mi-connection';
import { canBeRead, type Rank } from '../../job/rank';
import { whyOptimizedOut } from '../../values/no-handle';
import {
  valueOverRanks,
  type RankValue,
  type ValueOverRanks,
  type ValuesDocument,
} from '../across-ranks/value-over-ranks';
import { inFrameOf, NotKnownError, TooLongError } from '../frame-search';
import { absentId, targetOf, whyAbsent, type JobQueries, type NotEvaluated } from '../job-queries';
import type { Where } from '../rank-expressions';
import { notStopped, whyUnreadable } from '../why-no-answer';
import type { ExpressionValues } from './expression-values';
import { NoValueError } from './no-value-error';
import { withDigests, type UncomparedValue } from './value-digest';
import { withVariablesMeant } from './variables-meant';

/** `evaluated` false: gdb could not evaluate it at all in this rank. `refused`: why it was not even tried. */
interface Answered extends UncomparedValue {
  evaluated: boolean;
  /** Where it was evaluated. */
  at?: ThreadFrame;
  refused?: string;
}

/** The world of each says whose ranks its rank sets hold. */
function inEachWorld(expression: string, answers: readonly RankValue[]): ValueOverRanks[] {
  return [...groupedBy(answers, ({ rank }) => rank.world)].map(([world, of]) => {
    const values = of.map(({ rank: { world: _, ...rank }, ...value }) => ({ ...value, rank }));
    const { expression: asked, ...found } = valueOverRanks(expression, values);
    return { expression: asked, ...(world === undefined ? {} : { world }), ...found };
  });
}

type WhereOf = (rank: Rank) => Where;

const anywhere: WhereOf = () => ({});

export class ValueQueries {
  constructor(
    private readonly queries: JobQueries,
    private readonly values: ExpressionValues,
  ) {}

  /** And which of the expressions no rank could evaluate. `where`: see RankExpressions.show. */
  async document(
    ranks: readonly Rank[],
    expressions: readonly string[],
    where: WhereOf,
  ): Promise<{ document: ValuesDocument; notEvaluated: NotEvaluated[] }> {
    const stacks = new ThreadStacks();
    const absent = this.queries
      .absentAmong(ranks)
      .map((rank) => ({ rank: absentId(rank), text: whyAbsent(rank), failed: true }));
    const values: ValueOverRanks[] = [];
    const notEvaluated: NotEvaluated[] = [];
    for (const expression of expressions) {
      const answers = await withDigests(await this.answersOf(ranks, expression, where, stacks));
      values.push(...inEachWorld(expression, [...answers, ...absent]));
      if (ranks.some(canBeRead) && !answers.some(({ evaluated }) => evaluated))
        notEvaluated.push({ expression, refused: answers.find(({ refused }) => refused !== undefined)?.refused });
    }
    const unreadable = ranks.filter((rank) => !canBeRead(rank));
    const errors = unreadable.map((rank) => {
      const { code, message: reason } = notStopped(rank);
      return { ...this.queries.idOf(rank), error: { code, reason } };
    });
    return {
      document: {
        schema: 'mpidbg/1',
        target: targetOf(ranks),
        expressions: values,
        errors: [...errors, ...this.queries.unopened(ranks)],
      },
      notEvaluated,
    };
  }

  async overRanks(ranks: readonly Rank[], expression: string, where = anywhere): Promise<ValueOverRanks> {
    return valueOverRanks(expression, await withDigests(await this.answersOf(ranks, expression, where)));
  }

  /** In the order of the ranks. Never rejects for what the user or a rank did. */
  async answersOf(
    ranks: readonly Rank[],
    expression: string,
    where = anywhere,
    stacks = new ThreadStacks(),
  ): Promise<Answered[]> {
    const answers = await Promise.all(
      ranks.map(async (rank) => ({
        rank: this.queries.idOf(rank),
        ...(await this.answer(rank, expression, where(rank), stacks)),
      })),
    );
    return withVariablesMeant(parseQueryExpression(expression).source, answers);
  }

  private async answer(
    rank: Rank,
    expression: string,
    where: Where,
    stacks: ThreadStacks,
  ): Promise<Omit<Answered, 'rank'>> {
    const fail = (text: string, refused?: string): Omit<Answered, 'rank'> => ({
      text,
      failed: true,
      evaluated: false,
      ...(refused === undefined ? {} : { refused }),
    });
    const thread = where.thread ?? rank.threads[0];
    if (!canBeRead(rank) || thread === undefined) return fail(whyUnreadable(rank));
    if (where.missing !== undefined) return fail(where.missing);
    try {
      const search = { stack: stacks.of(thread), code: await this.queries.of(rank).code(), choice: where.frame };
      const { source } = parseQueryExpression(expression);
      const value = await inFrameOf(source, search, async (frame) => {
        const at = { thread: readOnly(thread, languageOf(frame)), frame };
        return { ...(await this.values.text(at, expression)), at };
      });
      if (value.value?.kind === 'optimizedOut') return { text: whyOptimizedOut, failed: true, evaluated: true };
      return { ...value, evaluated: true };
    } catch (error) {
      if (error instanceof WouldChangeError || error instanceof TooLongError) return fail(error.message, error.message);
      if (error instanceof NotKnownError) return fail(error.words);
      const isTold = error instanceof QueryError || error instanceof NoFrameError || error instanceof NoValueError;
      if (isTold || error instanceof GdbError) return fail(error.message);
      throw error;
    }
  }
}
