/** The commands that ask the ranks: attach or open the cores, ask, release, print. */
import { counted } from '../../plugin-api/counted';
import type { OverlayPart } from '../../plugin-api/overlays/read-overlay';
import { StartError } from '../job/start-error';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import type { JobQueries, NotEvaluated } from '../query/job-queries';
import type { Where } from '../query/rank-expressions';
import { ExpressionValues } from '../query/shown/expression-values';
import { GdbValues } from '../query/shown/gdb-values';
import { VariableStore } from '../query/shown/variable-store';
import type { AnswerDocument, Answered, Question } from '../questions/question';
import { questions } from '../questions/question-table';
import type { Command, QueryOptions } from './arguments/command';
import { UsageError } from './arguments/usage-error';
import { withHeldJob } from './held-job';
import { jsonPieces } from './json-pieces';
import { EndedBySignalError } from './suspension';

export type QueryCommand = Exclude<
  Extract<Command, { options: QueryOptions }>,
  { name: 'report' | 'hang' | OverlayPart }
>;

/** What the command prints, in as many pieces as it is made in, and its exit status. */
export interface Outcome {
  output: string | Iterable<string>;
  errors: readonly string[];
  status: number;
}

/** Runs the command; rejects as withHeldJob does. */
export async function runQuery(command: QueryCommand, signal: AbortSignal): Promise<Outcome> {
  const { options } = command;
  const partial: PartialAnswer = {};
  let asked;
  try {
    asked = await withHeldJob(options, signal, (job, queries) => ask(command, { job, queries, signal, partial }));
  } catch (error) {
    const answer = error instanceof TimeUpError ? partial.answer : undefined;
    if (answer === undefined) throw error;
    const { output } = outcomeOf(answer, command, '');
    return { output, errors: [(error as TimeUpError).message], status: 2 };
  }
  const { errors, ...outcome } = outcomeOf(
    asked.answer,
    command,
    options.target.kind === 'cores' ? '' : heldText(asked),
  );
  const warnings = needsLines(command) ? asked.warnings : asked.beyondLines;
  return { ...outcome, errors: [...warnings, ...errors] };
}

/** MPI's own names are known without. */
function needsLines(command: QueryCommand): boolean {
  if (command.name !== 'show' && command.name !== 'print') return command.name === 'stacks' || command.name === 'nan';
  return command.expressions.some((text) => !/^MPIX?_[A-Z_]+$/.test(text));
}

/** What is known where the time is up before all have answered, of questions that can tell it. */
interface PartialAnswer {
  answer?: Answered<AnswerDocument>;
}

type Answers<Asking> = Pick<Question<Asking, AnswerDocument>, 'answer'>;

/** Each command has the arguments of its question. */
const asks: { readonly [Asking in QueryCommand as Asking['name']]: Answers<Asking> } = questions;

function ask(
  command: QueryCommand,
  { job, queries, signal, partial }: { job: Job; queries: JobQueries; signal: AbortSignal; partial: PartialAnswer },
): Promise<Answered<AnswerDocument>> {
  const { options } = command;
  const question = asks[command.name] as Answers<QueryCommand>;
  return question.answer(command, {
    ...{ job, queries, signal, ranks: job.ranks, isForPrograms: options.json },
    where: 'expressions' in command ? whereOf(options, job.ranks) : () => ({}),
    values: new ExpressionValues(queries, new GdbValues(new VariableStore(), queries)),
    whenLate: {
      why: `not evaluated within ${counted(options.timeout, 'second')}`,
      keep: (answer) => (partial.answer = answer),
    },
  });
}

/** Throws UsageError for a thread that no rank has. */
function whereOf({ thread, frame }: QueryOptions, ranks: readonly Rank[]): (rank: Rank) => Where {
  if (!ranks.some(({ threads }) => threads.length >= thread)) throw new UsageError(`no rank has a thread ${thread}`);
  return (rank) => {
    const chosen = rank.threads[thread - 1];
    if (chosen === undefined)
      return { missing: `${rank.label} has ${counted(rank.threads.length, 'thread')}, no thread ${thread}` };
    return { thread: chosen, ...(frame === undefined ? {} : { frame }) };
  };
}

function heldText({ ranks, held }: { ranks: number; held: number }): string {
  return `(${ranks} ${ranks === 1 ? 'rank was' : 'ranks were'} held for ${(held / 1000).toFixed(2)} s)\n`;
}

/** `note`: a last line for people. */
function outcomeOf(
  { document, text, notEvaluated }: Answered<AnswerDocument>,
  { full, options }: QueryCommand,
  note: string,
): Outcome {
  const failed = 'ranks' in document ? document.ranks.some((rank) => 'error' in rank) : document.errors.length > 0;
  // Each refusal is printed on its own line, once for all ranks.
  const leftOut = new Set(notEvaluated.flatMap((each) => (each.refused === undefined ? [] : [each.expression])));
  return {
    output: options.json ? jsonPieces(document) : text({ full, leftOut }) + note,
    errors: nowhere(notEvaluated),
    status: failed || notEvaluated.length > 0 ? 1 : 0,
  };
}

/** One line for all, and one for each that was refused. */
function nowhere(notEvaluated: readonly NotEvaluated[]): string[] {
  const refused = notEvaluated.flatMap(({ expression, refused: why }) =>
    why === undefined ? [] : [`${expression}: ${why}`],
  );
  const others = notEvaluated.filter((each) => each.refused === undefined).map(({ expression }) => expression);
  if (others.length === 0) return refused;
  const names = others.length === 1 ? 'its name' : 'their names';
  return [...refused, `no rank could evaluate ${others.join(', ')}: check ${names}, or --frame`];
}

/** The user's limit (--timeout) has come. */
export class TimeUpError extends StartError {}

/** Aborts when the user interrupts or ends mpidbg or closes the terminal, or when the time is up. */
export function abortSignal(seconds: number): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => controller.abort(new EndedBySignalError(name)));
  }
  const late = new TimeUpError(
    `gave up after ${counted(seconds, 'second')}; every process was released (see --timeout)`,
  );
  setTimeout(() => controller.abort(late), seconds * 1000).unref();
  return controller.signal;
}
