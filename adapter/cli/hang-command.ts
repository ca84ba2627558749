/**
 * mpidbg hang: one look at the job, and where it seems to hang another one, with the ranks running in between; a third one where only
 * threads could still act that sleep, when they have woken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { groupedBy } from '../../plugin-api/grouped-by';
import { dotOf } from '../../plugin-api/hang/dot';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { verdictOf, type HangVerdict } from '../../plugin-api/hang/verdict';
import { rankSetOf, type RanksOfWorld } from '../../plugin-api/answers/rank-set';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import { StartError, untilAborted } from '../job/start-error';
import { NoRanksError } from '../launchers/launcher-tree';
import { questionOf, withAnswer, type Question } from '../query/hang/explanation';
import { hangText } from '../../plugin-api/answers/text/hang-text';
import type { Command } from './arguments/command';
import { jsonPieces } from './json-pieces';
import { linesNote } from './lines-note';
import { OutputFile, standardOutput } from './output-file';
import { TimeUpError, type Outcome } from './query-command';
import { JobLooks } from './take-look';

export type HangCommand = Extract<Command, { name: 'hang' }>;

/** Rejects as withHeldJob does, and with StartError where the graph cannot be written. */
export async function runHang(command: HangCommand, signal: AbortSignal): Promise<Outcome> {
  const { options, dot } = command;
  const file = await OutputFile.unlessStandard(dot);
  const { document, held, warnings } = await judge(command, signal);
  await file?.write(dotOf(document));
  const answer = options.json ? jsonPieces(document) : hangText(document) + held;
  return {
    output: dot === standardOutput ? dotOf(document) : answer,
    errors: warnings,
    status: document.ranks.some((rank) => 'error' in rank) ? 1 : 0,
  };
}

type Look = Awaited<ReturnType<JobLooks['take']>>;

interface Judged {
  verdict: HangVerdict;
  looks: readonly [Look, ...Look[]];
  warnings: readonly string[];
}

async function judge({ options, lookAgain }: HangCommand, signal: AbortSignal): Promise<Answer> {
  const looks = new JobLooks(options);
  try {
    const { verdict, looks: all, warnings } = await judgeBy(looks, { options, lookAgain }, signal);
    const noLines = linesNote(options.gdb);
    const answered = noLines.length === 0 ? await withVariables(verdict, looks, signal) : verdict;
    const { document, look } = { look: undefined, ...answered };
    const held = options.target.kind === 'cores' ? '' : heldText([...all, ...(look === undefined ? [] : [look])]);
    return { document, held, warnings: [...warnings, ...noLines] };
  } finally {
    await looks.end();
  }
}

interface Answer {
  document: HangDocument;
  held: string;
  warnings: readonly string[];
}

/** What variables tell comes from a debugger: without one, or without time for it, the verdict is as it was. */
async function withVariables(
  verdict: HangVerdict,
  looks: JobLooks,
  signal: AbortSignal,
): Promise<{ document: HangDocument; look?: { ranks: number; held: number } }> {
  const { document } = verdict;
  const question = await questionOf(verdict);
  if (question === undefined) return { document };
  try {
    const look = await looks.ask(ranksOf(question), signal, (sources) => withAnswer(document, question, sources));
    return { document: look.answer, look };
  } catch (error) {
    if (error instanceof StartError || (signal.aborted && signal.reason instanceof TimeUpError)) return { document };
    throw error;
  }
}

/** undefined: all ranks, because some of those to ask have no number. */
function ranksOf({ ids }: Question): RanksOfWorld[] | undefined {
  if (ids.some(({ rank }) => rank === null)) return undefined;
  const byWorld = groupedBy(ids, ({ world }) => world);
  return [...byWorld].map(([world, of]) => ({ ranks: rankSetOf(of.map(({ rank }) => rank!)), world }));
}

async function judgeBy(
  looks: JobLooks,
  { options, lookAgain }: Pick<HangCommand, 'options' | 'lookAgain'>,
  signal: AbortSignal,
): Promise<Judged> {
  const first = await looks.take(signal);
  const target = options.target.kind === 'cores' ? 'core' : 'live';
  const judged = (of: readonly [Look, ...Look[]], seconds: number): Judged => ({
    verdict: verdictOf({
      target,
      looks: (of.length > 1 ? [of[0], of.at(-1)!] : of).map(({ answer }) => answer),
      seconds,
    }),
    looks: of,
    warnings: first.warnings,
  });
  const once = judged([first], 0);
  if (target === 'core' || once.verdict.document.verdict === 'progress') return once;
  const next = (seconds: number) => nextLook(looks, seconds, options.target, signal);
  const second = await next(lookAgain);
  if (second === undefined) return late(once);
  const twice = judged([first, second], lookAgain);
  const { wakesIn } = twice.verdict;
  if (wakesIn === undefined || wakesIn > maxPatience) return twice;
  const patience = Math.ceil(wakesIn);
  const third = await next(patience);
  return third === undefined ? late(twice) : judged([first, second, third], lookAgain + patience);
}

/** undefined: the time that the user gives was up before. Rejects with StartError where the job has ended since the last look. */
async function nextLook(
  looks: JobLooks,
  seconds: number,
  target: HangCommand['options']['target'],
  signal: AbortSignal,
): Promise<Look | undefined> {
  try {
    await untilAborted(signal, sleep(seconds * 1000));
    return await looks.take(signal);
  } catch (error) {
    if (signal.aborted && signal.reason instanceof TimeUpError) return undefined;
    if (error instanceof NoRanksError || (error instanceof StartError && (await hasEnded(target))))
      throw new StartError('the job has ended between two looks: it did not hang');
    throw error;
  }
}

/** Its launcher, or all of its processes, are gone; false where this machine cannot tell. */
async function hasEnded(target: HangCommand['options']['target']): Promise<boolean> {
  const pids = target.kind === 'launcher' ? [target.launcherPid] : target.kind === 'pids' ? target.pids : [];
  const left = await Promise.all(
    pids.map(async (pid) => (await new HostProcess(localHost, pid).reachable())?.status()),
  );
  return pids.length > 0 && left.every((status) => status === undefined);
}

/** The answer from the looks that ended in time. */
function late({ verdict, looks, warnings }: Judged): Judged {
  const slowest = Math.max(...looks.map(({ held }) => held)) / 1000;
  const count = looks.length === 1 ? 'only one look' : `only ${looks.length} looks`;
  const warning =
    `${count} finished in time; the slowest held the ranks for ${slowest.toFixed(1)} s: ` +
    'a longer --timeout may give a more certain answer';
  return { verdict, looks, warnings: [...warnings, warning] };
}

/** In seconds, for threads that sleep and may do something when they wake. */
const maxPatience = 10;

function heldText(looks: readonly { ranks: number; held: number }[]): string {
  const times = looks.map(({ held }) => `${(held / 1000).toFixed(2)} s`).join(' and ');
  const count = looks[0]!.ranks;
  return `(${count} ${count === 1 ? 'rank was' : 'ranks were'} held for ${times})\n`;
}
