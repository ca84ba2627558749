/** The commands that ask the ranks: attach or open the cores, ask, release, print. */
import { counted } from '../../plugin-api/counted';
import type { OverlayPart } from '../../plugin-api/overlays/read-overlay';
import type { QueuesDocument } from '../../plugin-api/mpi/queue-records';
import type { Answer, CommInfo, Document, RankId, StacksDocument } from '../../plugin-api/mpi/records';
import { StartError } from '../job/start-error';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import { commandLineOf } from '../query/command-line';
import { describeReferences } from '../query/described-references';
import { NanQueries } from '../query/nan/nan-queries';
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import { handlesText } from '../../plugin-api/answers/text/handles-text';
import { infoText, type JobFacts } from '../../plugin-api/answers/text/info-text';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import type { JobQueries, NotEvaluated } from '../query/job-queries';
import { rankId } from '../query/rank-ids';
import { messageQueues } from '../query/message-queues';
import type { Where } from '../query/rank-expressions';
import { ExpressionValues } from '../query/shown/expression-values';
import { GdbValues } from '../query/shown/gdb-values';
import { ValueQueries, type AnswersSoFar } from '../query/shown/value-queries';
import { VariableStore } from '../query/shown/variable-store';
import { nanText } from '../../plugin-api/answers/text/nan-text';
import { queuesText } from '../../plugin-api/answers/text/queues-text';
import { showText } from '../../plugin-api/answers/text/show-text';
import { stacksText } from '../../plugin-api/answers/text/stacks-text';
import { valuesText } from '../../plugin-api/answers/text/values-text';
import type { Command, QueryOptions } from './arguments/command';
import { UsageError } from './arguments/usage-error';
import { withHeldJob } from './held-job';
import { jsonPieces } from './json-pieces';
import { EndedBySignalError } from './suspension';
import { learnAllRoles } from '../job/thread-role';

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
    asked = await withHeldJob(options, signal, (job, queries) => ask(command, job, queries, signal, partial));
  } catch (error) {
    const answer = error instanceof TimeUpError ? partial.answer : undefined;
    if (answer === undefined) throw error;
    const { output } = outcomeOf(answer, options.json, '');
    return { output, errors: [(error as TimeUpError).message], status: 2 };
  }
  const { errors, ...outcome } = outcomeOf(
    asked.answer,
    options.json,
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

/** What the ranks answered; `text` needs them no more, and may take longer than asking did. */
interface Answered {
  document: Document | StacksDocument | QueuesDocument | ValuesDocument | NanDocument;
  text: () => string;
  notEvaluated: readonly NotEvaluated[];
}

/** What is known where the time is up before all have answered; set by commands that can tell it. */
interface PartialAnswer {
  answer?: Answered | undefined;
}

async function ask(
  command: QueryCommand,
  job: Job,
  queries: JobQueries,
  signal: AbortSignal,
  partial: PartialAnswer,
): Promise<Answered> {
  const { options } = command;
  switch (command.name) {
    case 'info':
      return askInfo(job, queries, command.full);
    case 'handles': {
      const document = await queries.handles(job.ranks, command.kinds, command.internal);
      const described = options.json ? document : await withReferences(document, job, queries);
      return { document, text: () => handlesText(described, command.full), notEvaluated: [] };
    }
    case 'queues': {
      const queues = await messageQueues(queries, job.ranks, command.internal);
      return { document: queues.document, text: () => queuesText(queues, command.full), notEvaluated: [] };
    }
    case 'stacks':
      return askStacks(command, job, queries);
    case 'print':
      return askPrint({ ...command, name: command.name }, job, queries, { signal, partial });
    case 'nan':
      return askNan(command, job, queries, signal);
    case 'show':
      return askShow({ ...command, name: command.name }, job, queries);
  }
}

/** Their launcher has numbered them as ranks of one job, and MPI has not. */
async function ranksAlone(queries: JobQueries, ranks: readonly Rank[]): Promise<RankId[]> {
  const launched = ranks.filter(({ worldSize }) => (worldSize ?? 1) > 1);
  if (launched.length === 0) return [];
  const { ranks: answered } = await queries.handles(launched, ['comm'], false);
  return answered.filter((rank) => 'answers' in rank && rank.answers.some(isWorldOfOne));
}

function isWorldOfOne(answer: Answer): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== 'comm') return false;
  const { constant, name, size } = answer.info as CommInfo;
  return (constant ?? name) === 'MPI_COMM_WORLD' && size === 1;
}

async function askInfo({ ranks, plugins }: Job, queries: JobQueries, full: boolean): Promise<Answered> {
  const [document, alone, commands] = await Promise.all([
    queries.info(ranks),
    ranksAlone(queries, ranks),
    Promise.all(ranks.map(async (rank) => [idText(rankId(rank)), await commandLineOf(rank)] as const)),
  ]);
  const byRank = new Map(commands);
  const facts: JobFacts = {
    command: (rank) => byRank.get(idText(rank)),
    title: (name) => plugins.known.named(name)?.title ?? name,
    worldSize: new Set(ranks.map(({ world }) => world)).size > 1 ? undefined : ranks[0]?.worldSize,
    alone,
  };
  return { document, text: () => infoText(document, facts, full), notEvaluated: [] };
}

async function askStacks(
  { full, options }: Extract<QueryCommand, { name: 'stacks' }>,
  { ranks, plugins }: Job,
  queries: JobQueries,
): Promise<Answered> {
  const isShort = !full && !options.json;
  if (isShort) await learnAllRoles(ranks, plugins.known);
  const [document, died] = await Promise.all([
    isShort ? queries.stacks(ranks, 'program', false) : queries.stacks(ranks, full ? 'all' : 'calls'),
    options.json ? [] : queries.crashes(ranks),
  ]);
  const leftOut = isShort
    ? ranks.flatMap(({ threads }) => threads.filter(({ role }) => role?.helperOf !== undefined))
    : [];
  return { document, text: () => stacksText(document, died, leftOut.length), notEvaluated: [] };
}

type ExpressionCommand<Name> = Extract<QueryCommand, { name: 'show' | 'print' }> & { name: Name };

async function askPrint(
  { expressions, full, options }: ExpressionCommand<'print'>,
  { ranks }: Job,
  queries: JobQueries,
  { signal, partial }: { signal: AbortSignal; partial: PartialAnswer },
): Promise<Answered> {
  const values = new ExpressionValues(queries, new GdbValues(new VariableStore(), queries));
  const where = whereOf(options, ranks);
  const asking = new ValueQueries(queries, values);
  const soFar: AnswersSoFar = new Map();
  // Before gdb is ended: ranks that have not answered would give that as their reason.
  const keep = (): void => {
    const why = `not evaluated within ${counted(options.timeout, 'second')}`;
    const known = asking.partialDocument(ranks, expressions, soFar, why);
    partial.answer = known && { document: known, text: () => valuesText(known, { full }), notEvaluated: [] };
  };
  signal.addEventListener('abort', keep, { once: true });
  const { document, notEvaluated } = await asking.document(ranks, expressions, where, soFar);
  const refused = refusedOf(notEvaluated);
  const told = document.expressions.filter(({ expression }) => !refused.has(expression));
  return { document, text: () => valuesText({ ...document, expressions: told }, { full }), notEvaluated };
}

async function askNan(
  { expressions, full, options }: Extract<QueryCommand, { name: 'nan' }>,
  { ranks, plugins }: Job,
  queries: JobQueries,
  signal: AbortSignal,
): Promise<Answered> {
  if (expressions.length === 0) await learnAllRoles(ranks, plugins.known);
  const values = new ExpressionValues(queries, new GdbValues(new VariableStore(), queries));
  const question = { ranks, expressions, where: whereOf(options, ranks), signal };
  const { document, notEvaluated } = await new NanQueries(queries, values).document(question);
  const refused = refusedOf(notEvaluated);
  const told = document.notLookedAt.filter(({ expression }) => !refused.has(expression));
  return { document, text: () => nanText({ ...document, notLookedAt: told }, full), notEvaluated };
}

async function askShow(
  { expressions, full, options }: ExpressionCommand<'show'>,
  job: Job,
  queries: JobQueries,
): Promise<Answered> {
  const where = whereOf(options, job.ranks);
  const { document, notEvaluated } = await queries.show(job.ranks, expressions, where);
  const described = options.json
    ? document
    : await withReferences(withoutRefused(document, notEvaluated), job, queries);
  return { document, text: () => showText(described, full), notEvaluated };
}

/** For a document about all ranks of the job. */
function withReferences(document: Document, { ranks }: Job, queries: JobQueries): Promise<Document> {
  return describeReferences(document, (index, { kind, handle }) => queries.query(ranks[index]!, kind, BigInt(handle)));
}

/** No two processes of a job have the same. */
function idText({ host, pid, core }: RankId): string {
  return core ?? `${pid} ${host}`;
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
function outcomeOf({ document, text, notEvaluated }: Answered, json: boolean, note: string): Outcome {
  const failed = 'ranks' in document ? document.ranks.some((rank) => 'error' in rank) : document.errors.length > 0;
  return {
    output: json ? jsonPieces(document) : text() + note,
    errors: nowhere(notEvaluated),
    status: failed || notEvaluated.length > 0 ? 1 : 0,
  };
}

/** Each refusal is printed on its own line, once for all ranks. */
function withoutRefused(document: Document, notEvaluated: readonly NotEvaluated[]): Document {
  const refused = refusedOf(notEvaluated);
  const isTold = ({ expression }: Answer): boolean => !refused.has(expression ?? '');
  const ranks = document.ranks.map((rank) =>
    'answers' in rank ? { ...rank, answers: rank.answers.filter(isTold) } : rank,
  );
  return { ...document, ranks };
}

function refusedOf(notEvaluated: readonly NotEvaluated[]): ReadonlySet<string> {
  return new Set(notEvaluated.flatMap((each) => (each.refused === undefined ? [] : [each.expression])));
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
