/** The values of expressions in many ranks: what `print` and mpidbg/value answer. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import { QueryError } from '../../../plugin-api/result';
import { parseQueryExpression } from '../../expressions/expression';
import { languageOf, NoFrameError, type ThreadFrame } from '../../expressions/frames';
import { ThreadStacks } from '../../expressions/thread-stack';
import { readOnly, WouldChangeError } from '../../gdb/mi/read-only';
import { GdbError } from '../../gdb/mi/mi-connection';
import { canBeRead, type Rank } from '../../job/rank';
import { whyOptimizedOutIn } from '../../values/no-handle';
import {
  valueOverRanks,
  type RankValue,
  type ValueOverRanks,
  type ValuesDocument,
} from '../../../plugin-api/answers/value-over-ranks';
import { inFrameOf, NotKnownError, TooLongError } from '../frame-search';
import type { JobQueries, NotEvaluated } from '../job-queries';
import { absentId, targetOf, whyAbsent } from '../rank-ids';
import type { Where } from '../rank-expressions';
import { notStopped, whyUnreadable } from '../why-no-answer';
import type { ExpressionValues } from './expression-values';
import { NoValueError } from './no-value-error';
import { unknownDigest, withDigests, type UncomparedValue } from './value-digest';
import { areOfOnePlace, withVariablesMeant } from './variables-meant';

/** `evaluated` false: gdb could not evaluate it at all in this rank. `refused`: why it was not even tried. */
interface Answered extends UncomparedValue {
  evaluated: boolean;
  /** Where it was evaluated. */
  at?: ThreadFrame;
  /** Which of several variables of one name it is. */
  of?: string;
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

/** What ranks have answered so far, by expression; `areCompared`: all have, and how they compare is known. */
export type AnswersSoFar = Map<string, { answers: readonly Answered[]; areCompared: boolean }>;

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
    soFar: AnswersSoFar = new Map(),
  ): Promise<{ document: ValuesDocument; notEvaluated: NotEvaluated[] }> {
    const stacks = new ThreadStacks();
    const values: ValueOverRanks[] = [];
    const notEvaluated: NotEvaluated[] = [];
    for (const expression of expressions) {
      const known: Answered[] = [];
      soFar.set(expression, { answers: known, areCompared: false });
      const answers = await withDigests(await this.answersOf(ranks, expression, where, stacks, known));
      soFar.set(expression, { answers, areCompared: true });
      values.push(...inEachWorld(expression, [...answers, ...this.absent(ranks)]));
      if (ranks.some(canBeRead) && !answers.some(({ evaluated }) => evaluated))
        notEvaluated.push({ expression, refused: answers.find(({ refused }) => refused !== undefined)?.refused });
    }
    return { document: this.documentOf(ranks, values), notEvaluated };
  }

  /** The answer made from what ranks have said when the time is up; `why`: what the others say. undefined: none has. */
  partialDocument(
    ranks: readonly Rank[],
    expressions: readonly string[],
    soFar: AnswersSoFar,
    why: string,
  ): ValuesDocument | undefined {
    let isAnything = false;
    const values = expressions.flatMap((expression) => {
      const { answers: known, areCompared } = soFar.get(expression) ?? { answers: [], areCompared: false };
      // To tell variables of one name apart, gdb would have to be asked.
      const isComparable = areCompared || areOfOnePlace(known);
      const answers = ranks.map((rank): RankValue => {
        const id = this.queries.idOf(rank);
        const found = isComparable
          ? known.find((each) => each.rank.pid === id.pid && each.rank.host === id.host && each.rank.core === id.core)
          : undefined;
        if (found === undefined) return { rank: id, text: why, failed: true };
        isAnything = true;
        return areCompared || found.readDigest === undefined ? found : { ...found, digest: unknownDigest };
      });
      return inEachWorld(expression, [...answers, ...this.absent(ranks)]);
    });
    return isAnything ? this.documentOf(ranks, values) : undefined;
  }

  private absent(ranks: readonly Rank[]): RankValue[] {
    return this.queries
      .absentAmong(ranks)
      .map((rank) => ({ rank: absentId(rank), text: whyAbsent(rank), failed: true }));
  }

  private documentOf(ranks: readonly Rank[], expressions: ValueOverRanks[]): ValuesDocument {
    const unreadable = ranks.filter((rank) => !canBeRead(rank));
    const errors = unreadable.map((rank) => {
      const { code, message: reason } = notStopped(rank);
      return { ...this.queries.idOf(rank), error: { code, reason } };
    });
    return {
      schema: 'mpidbg/1',
      target: targetOf(ranks),
      expressions,
      errors: [...errors, ...this.queries.unopened(ranks)],
    };
  }

  async overRanks(ranks: readonly Rank[], expression: string, where = anywhere): Promise<ValueOverRanks> {
    return valueOverRanks(expression, await withDigests(await this.answersOf(ranks, expression, where)));
  }

  /** In the order of the ranks; each one is put into `known` at once, too. Never rejects for what the user or a rank did. */
  async answersOf(
    ranks: readonly Rank[],
    expression: string,
    where = anywhere,
    stacks = new ThreadStacks(),
    known: Answered[] = [],
  ): Promise<Answered[]> {
    const answers = await Promise.all(
      ranks.map(async (rank) => {
        const answer = {
          rank: this.queries.idOf(rank),
          ...(await this.answer(rank, expression, where(rank), stacks)),
        };
        known.push(answer);
        return answer;
      }),
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
      if (value.value?.kind === 'optimizedOut')
        return {
          text: whyOptimizedOutIn(value.at.frame.function, languageOf(value.at.frame)),
          failed: true,
          evaluated: true,
        };
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
