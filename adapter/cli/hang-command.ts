/**
 * mpidbg hang: one look at the job, and where it seems to hang another one, with the ranks running in between; a third one where only
 * threads could still act that sleep, when they have woken.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { dotOf } from '../../plugin-api/hang/dot';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { untilAborted } from '../job/start-error';
import { hangText } from '../text/hang-text';
import type { Command } from './arguments/command';
import { jsonPieces } from './json-pieces';
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

interface Judged {
  document: HangDocument;
  held: string;
  warnings: readonly string[];
}

async function judge({ options, lookAgain }: HangCommand, signal: AbortSignal): Promise<Judged> {
  const looks = new JobLooks(options);
  try {
    return await judgeBy(looks, { options, lookAgain }, signal);
  } finally {
    await looks.end();
  }
}

async function judgeBy(
  looks: JobLooks,
  { options, lookAgain }: Pick<HangCommand, 'options' | 'lookAgain'>,
  signal: AbortSignal,
): Promise<Judged> {
  const first = await looks.take(signal);
  const target = options.target.kind === 'cores' ? 'core' : 'live';
  const verdict = (looks: readonly (readonly ProcessState[])[], seconds: number) =>
    verdictOf({ target, looks, seconds });
  const once = verdict([first.answer], 0);
  if (target === 'core' || once.document.verdict === 'progress')
    return { document: once.document, held: target === 'core' ? '' : heldText([first]), warnings: first.warnings };
  const second = await nextLook(looks, lookAgain, signal);
  if (second === undefined) return late(once.document, [first]);
  const twice = verdict([first.answer, second.answer], lookAgain);
  const { wakesIn } = twice;
  if (wakesIn === undefined || wakesIn > maxPatience)
    return { document: twice.document, held: heldText([first, second]), warnings: first.warnings };
  const patience = Math.ceil(wakesIn);
  const third = await nextLook(looks, patience, signal);
  if (third === undefined) return late(twice.document, [first, second]);
  const { document } = verdict([first.answer, third.answer], lookAgain + patience);
  return { document, held: heldText([first, second, third]), warnings: first.warnings };
}

/** undefined: the time that the user gives was up before. */
async function nextLook(looks: JobLooks, seconds: number, signal: AbortSignal): Promise<Look | undefined> {
  try {
    await untilAborted(signal, sleep(seconds * 1000));
    return await looks.take(signal);
  } catch (error) {
    if (signal.aborted && signal.reason instanceof TimeUpError) return undefined;
    throw error;
  }
}

type Look = Awaited<ReturnType<JobLooks['take']>>;

/** The answer from the looks that ended in time. */
function late(document: HangDocument, looks: readonly [Look, ...Look[]]): Judged {
  const slowest = Math.max(...looks.map(({ held }) => held)) / 1000;
  const count = looks.length === 1 ? 'only one look' : `only ${looks.length} looks`;
  const warning =
    `${count} finished in time; the slowest held the ranks for ${slowest.toFixed(1)} s: ` +
    'a longer --timeout may give a more certain answer';
  return { document, held: heldText(looks), warnings: [...looks[0].warnings, warning] };
}

/** In seconds, for threads that sleep and may do something when they wake. */
const maxPatience = 10;

function heldText(looks: readonly { ranks: number; held: number }[]): string {
  const times = looks.map(({ held }) => `${(held / 1000).toFixed(2)} s`).join(' and ');
  const count = looks[0]!.ranks;
  return `(${count} ${count === 1 ? 'rank was' : 'ranks were'} held for ${times})\n`;
}
