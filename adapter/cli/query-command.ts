/** The commands that ask the ranks: attach to the ranks, ask, let them go, print. */
import type { Document, StacksDocument } from '../../plugin-api/mpi/records';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { attach } from '../job-sources/attach';
import { ranksOfLauncher } from '../job-sources/launcher-tree';
import { processEnvironment, rankOf } from '../job-sources/process-info';
import { StartError, untilAborted } from '../job-sources/start-error';
import type { Job } from '../job/job';
import type { Rank } from '../job/rank';
import { firstMissing, formatRankSet, rankSetHas, rankSetOf, type RankSet } from '../job/rank-set';
import { handlesText, infoText, showText } from '../query/document-text';
import { JobQueries } from '../query/job-queries';
import { loadPlugin } from '../query/load-plugin';
import type { Where } from '../query/rank-queries';
import { stacksText } from '../query/stacks-text';
import { UsageError, type Command, type QueryOptions, type Target } from './arguments';

export type QueryCommand = Extract<Command, { options: QueryOptions }>;

/** What the command prints, and its exit status. */
export interface Outcome {
  output: string;
  errors: string[];
  status: 0 | 1;
}

/**
 * Runs the command. Whatever happens, also when `signal` is aborted, every process is as it was when the promise
 * settles. Rejects with UsageError, PluginError or StartError.
 */
export async function runQuery(command: QueryCommand, signal: AbortSignal): Promise<Outcome> {
  const { options } = command;
  const registry = new PluginRegistry(options.plugins.map(loadPlugin));
  const pids = await selectPids(options.target, options.ranks);
  let heldSince = 0;
  const job = await attach({
    pids,
    signal,
    beforeHold: () => (heldSince = performance.now()),
    ...(options.gdb === undefined ? {} : { gdb: options.gdb }),
  });
  let answer: Answered;
  try {
    answer = await untilAborted(signal, ask(command, job, new JobQueries(job, registry)));
  } finally {
    await job.release();
  }
  return outcomeOf(answer, options.json, job.ranks.length, performance.now() - heldSince);
}

/** What the ranks answered, as JSON and as text. */
interface Answered {
  document: Document | StacksDocument;
  text: string;
  /** Expressions that no rank could evaluate. */
  notEvaluated: readonly string[];
}

async function ask(command: QueryCommand, { ranks }: Job, queries: JobQueries): Promise<Answered> {
  switch (command.name) {
    case 'info': {
      const document = await queries.info(ranks);
      return { document, text: infoText(document), notEvaluated: [] };
    }
    case 'handles': {
      const document = await queries.handles(ranks, command.kinds, command.internal);
      return { document, text: handlesText(document), notEvaluated: [] };
    }
    case 'stacks': {
      const document = await queries.stacks(ranks, command.full);
      return { document, text: stacksText(document), notEvaluated: [] };
    }
    case 'show': {
      const { thread } = command.options;
      if (!ranks.some(({ threads }) => threads.length >= thread))
        throw new UsageError(`no rank has a thread ${thread}`);
      const where = whereOf(command.options);
      const { document, notEvaluated } = await queries.show(ranks, command.expressions, where);
      return { document, text: showText(document), notEvaluated };
    }
  }
}

function whereOf({ thread, frame }: QueryOptions): (rank: Rank) => Where {
  return (rank) => {
    const chosen = rank.threads[thread - 1];
    if (chosen === undefined)
      return { missing: `${rank.label} has ${rank.threads.length} threads, no thread ${thread}` };
    return { thread: chosen, ...(frame === undefined ? {} : { frame }) };
  };
}

function outcomeOf({ document, text, notEvaluated }: Answered, json: boolean, ranks: number, held: number): Outcome {
  const failed = 'ranks' in document ? document.ranks.some((rank) => 'error' in rank) : document.errors.length > 0;
  const heldText = `(${ranks} ${ranks === 1 ? 'rank was' : 'ranks were'} held for ${(held / 1000).toFixed(2)} s)\n`;
  return {
    output: json ? `${JSON.stringify(document, undefined, 2)}\n` : text + heldText,
    errors: notEvaluated.map((expression) => `${expression} could be evaluated in no rank: check its name, or --frame`),
    status: failed || notEvaluated.length > 0 ? 1 : 0,
  };
}

/** Only the ranks that are asked for are attached to. */
async function selectPids(target: Target, ranks: RankSet | undefined): Promise<number[]> {
  const pids = 'pids' in target ? target.pids : await ranksOfLauncher(target.launcher);
  if (ranks === undefined) return [...pids];
  const numbered = await Promise.all(
    pids.map(async (pid) => ({ pid, rank: rankOf(await processEnvironment(pid)).number })),
  );
  const present = rankSetOf(numbered.flatMap(({ rank }) => (rank === null ? [] : [rank])));
  const missing = firstMissing(ranks, present);
  if (missing !== undefined) throw new UsageError(`--ranks: rank ${missing} is not among ${formatRankSet(present)}`);
  return numbered.filter(({ rank }) => rank !== null && rankSetHas(ranks, rank)).map(({ pid }) => pid);
}

/** Aborts when the user interrupts us, ends us, closes the terminal, or when the time is up. */
export function abortSignal(seconds: number): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => controller.abort(new StartError(`ended by ${name}; every process was let go`)));
  }
  const late = new StartError(`gave up after ${seconds} seconds; every process was let go (see --timeout)`);
  setTimeout(() => controller.abort(late), seconds * 1000).unref();
  return controller.signal;
}
