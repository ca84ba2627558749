/**
 * What can be asked of the ranks of a job. A question is a row of the table in question-table.ts: the command line, the requests of
 * a session and its debug console read it, and know nothing more of how it is answered.
 */
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import type { QueuesDocument } from '../../plugin-api/mpi/queue-records';
import type { Document, StacksDocument } from '../../plugin-api/mpi/records';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import type { JobQueries, NotEvaluated } from '../query/job-queries';
import type { Where } from '../query/rank-expressions';
import type { ExpressionValues } from '../query/shown/expression-values';
import type { Fields } from './argument-checks';

/** See the contract's records. */
export type AnswerDocument = Document | StacksDocument | QueuesDocument | ValuesDocument | NanDocument;

/** What a question is answered from, and who reads the answer. */
export interface Asked {
  readonly job: Job;
  readonly queries: JobQueries;
  readonly values: ExpressionValues;
  /** The ranks to ask. Ranks that have ended or cannot be reached are reported only if the whole job is asked. */
  readonly ranks: readonly Rank[];
  /** Where expressions are evaluated, see RankExpressions.show. */
  readonly where: (rank: Rank) => Where;
  /** Only the document is wanted: what the text alone would tell is not looked up. */
  readonly isForPrograms: boolean;
  /** Ends the question, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** So many of the ranks have answered. */
  readonly onProgress?: (done: number) => void;
  /** Takes what is known when `signal` is aborted; `why`: what ranks that have not answered say instead. */
  readonly whenLate?: { readonly why: string; keep(answered: Answered<AnswerDocument>): void };
}

/** How much of an answer people want to read. */
export interface TextExtent {
  /** Every row and detail. */
  full: boolean;
  /** The command that shows more; by default the option --full. */
  howToSeeAll?: string;
  /** Expressions to leave out, because the front end reports them itself. */
  leftOut?: ReadonlySet<string>;
}

export interface Answered<Answer extends AnswerDocument> {
  readonly document: Answer;
  /** Expressions that no rank could evaluate. */
  readonly notEvaluated: readonly NotEvaluated[];
  /** The answer for people. It no longer needs the ranks, which may be running again. */
  readonly text: (extent: TextExtent) => string;
}

export interface Question<Arguments, Answer extends AnswerDocument> {
  /** Checks what comes from outside. */
  readonly arguments: Fields<Arguments>;
  /** In the debug console: an example of the expression that must follow the name; undefined if none has to. */
  readonly example?: string;
  /** In the debug console: turns the words that follow the name into arguments, which are then checked; undefined if it takes none. */
  readonly ofWords?: (words: string) => object;
  /** A rank that fails does not fail the others: the document says why. */
  answer(args: Arguments, asked: Asked): Promise<Answered<Answer>>;
}
