/** The commands that ask the ranks: attach or open the cores, ask, release, print. */
import type { QueuesDocument } from '../../plugin-api/mpi/queue-records';
import type { Answer, Document, RankId, StacksDocument } from '../../plugin-api/mpi/records';
import { StartError } from '../job/start-error';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import { commandLineOf } from '../query/command-line';
import { describeReferences } from '../query/described-references';
import { handlesText } from '../text/handles-text';
import { infoText, type JobFacts } from '../text/info-text';
import { rankId, type JobQueries, type ShowOutcome } from '../query/job-queries';
import { messageQueues } from '../query/message-queues';
import type { Where } from '../query/rank-queries';
import { queuesText } from '../text/queues-text';
import { showText } from '../text/show-text';
import { stacksText } from '../text/stacks-text';
import { UsageError, type Command, type QueryOptions } from './arguments';
import { withHeldJob } from './held-job';
import { learnAllRoles } from './thread-roles';

export type QueryCommand = Exclude<Extract<Command, { options: QueryOptions }>, { name: 'report' }>;

/** What the command prints, and its exit status. */
export interface Outcome {
  output: string;
  errors: readonly string[];
  status: 0 | 1;
}

/** Runs the command; rejects as withHeldJob does. */
export async function runQuery(command: QueryCommand, signal: AbortSignal): Promise<Outcome> {
  const { options } = command;
  const asked = await withHeldJob(options, signal, (job, queries) => ask(command, job, queries));
  const { errors, ...outcome } = outcomeOf(
    asked.answer,
    options.json,
    options.target.kind === 'cores' ? '' : heldText(asked),
  );
  return { ...outcome, errors: [...asked.warnings, ...errors] };
}

/** What the ranks answered, as JSON and as text. */
interface Answered {
  document: Document | StacksDocument | QueuesDocument;
  text: string;
  notEvaluated: ShowOutcome['notEvaluated'];
}

async function ask(command: QueryCommand, { ranks, plugins }: Job, queries: JobQueries): Promise<Answered> {
  switch (command.name) {
    case 'info': {
      const [document, commands] = await Promise.all([
        queries.info(ranks),
        Promise.all(ranks.map(async (rank) => [idText(rankId(rank)), await commandLineOf(rank)] as const)),
      ]);
      const byRank = new Map(commands);
      const facts: JobFacts = {
        command: (rank) => byRank.get(idText(rank)),
        title: (name) => plugins.known.named(name)?.title ?? name,
        worldSize: new Set(ranks.map(({ world }) => world)).size > 1 ? undefined : ranks[0]?.worldSize,
      };
      return { document, text: infoText(document, facts, command.full), notEvaluated: [] };
    }
    case 'handles': {
      const document = await queries.handles(ranks, command.kinds, command.internal);
      return { document, text: handlesText(document), notEvaluated: [] };
    }
    case 'queues': {
      const queues = await messageQueues(queries, ranks, command.internal);
      return { document: queues.document, text: queuesText(queues), notEvaluated: [] };
    }
    case 'stacks': {
      if (command.options.json || command.full) {
        const document = await queries.stacks(ranks, command.full ? 'all' : 'calls');
        return { document, text: stacksText(document, await queries.crashes(ranks)), notEvaluated: [] };
      }
      await learnAllRoles(ranks, plugins.known);
      const [document, died] = await Promise.all([queries.stacks(ranks, 'program', false), queries.crashes(ranks)]);
      const leftOut = ranks.flatMap(({ threads }) => threads.filter(({ role }) => role?.helperOf !== undefined));
      return { document, text: stacksText(document, died, leftOut.length), notEvaluated: [] };
    }
    case 'show': {
      const { thread } = command.options;
      if (!ranks.some(({ threads }) => threads.length >= thread))
        throw new UsageError(`no rank has a thread ${thread}`);
      const where = whereOf(command.options);
      const { document, notEvaluated } = await queries.show(ranks, command.expressions, where);
      const described = await describeReferences(withoutRefused(document, notEvaluated), (index, { kind, handle }) =>
        queries.query(ranks[index]!, kind, BigInt(handle)),
      );
      const text = showText(described, command.full);
      return { document, text, notEvaluated };
    }
  }
}

/** No two processes of a job have the same. */
function idText({ host, pid, core }: RankId): string {
  return core ?? `${pid} ${host}`;
}

function whereOf({ thread, frame }: QueryOptions): (rank: Rank) => Where {
  return (rank) => {
    const chosen = rank.threads[thread - 1];
    if (chosen === undefined)
      return { missing: `${rank.label} has ${rank.threads.length} threads, no thread ${thread}` };
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
    output: json ? `${JSON.stringify(document, undefined, 2)}\n` : text + note,
    errors: nowhere(notEvaluated),
    status: failed || notEvaluated.length > 0 ? 1 : 0,
  };
}

/** Each refusal is printed on its own line, once for all ranks. */
function withoutRefused(document: Document, notEvaluated: ShowOutcome['notEvaluated']): Document {
  const refused = new Set(notEvaluated.flatMap((each) => (each.refused === undefined ? [] : [each.expression])));
  const isTold = ({ expression }: Answer): boolean => !refused.has(expression ?? '');
  const ranks = document.ranks.map((rank) =>
    'answers' in rank ? { ...rank, answers: rank.answers.filter(isTold) } : rank,
  );
  return { ...document, ranks };
}

/** One line for all, and one for each that was refused. */
function nowhere(notEvaluated: ShowOutcome['notEvaluated']): string[] {
  const refused = notEvaluated.flatMap(({ expression, refused: why }) =>
    why === undefined ? [] : [`${expression}: ${why}`],
  );
  const others = notEvaluated.filter((each) => each.refused === undefined).map(({ expression }) => expression);
  if (others.length === 0) return refused;
  const names = others.length === 1 ? 'its name' : 'their names';
  return [...refused, `no rank could evaluate ${others.join(', ')}: check ${names}, or --frame`];
}

/** Aborts when the user interrupts or ends mpidbg or closes the terminal, or when the time is up. */
export function abortSignal(seconds: number): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => controller.abort(new StartError(`ended by ${name}; every process was released`)));
  }
  const late = new StartError(`gave up after ${seconds} seconds; every process was released (see --timeout)`);
  setTimeout(() => controller.abort(late), seconds * 1000).unref();
  return controller.signal;
}
