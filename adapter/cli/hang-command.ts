/** mpidbg hang: one look at the job, and where it seems to hang another one, with the ranks running in between. */
import { setTimeout as sleep } from 'node:timers/promises';
import { dotOf } from '../../plugin-api/hang/dot';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { untilAborted } from '../job/start-error';
import { hangText } from '../text/hang-text';
import type { Command } from './arguments/command';
import { OutputFile } from './output-file';
import type { Outcome } from './query-command';
import { JobLooks } from './take-look';

export type HangCommand = Extract<Command, { name: 'hang' }>;

/** Rejects as withHeldJob does, and with StartError where the graph cannot be written. */
export async function runHang(command: HangCommand, signal: AbortSignal): Promise<Outcome> {
  const { options, dot } = command;
  const output = dot === undefined ? undefined : await OutputFile.at(dot);
  const { document, held, warnings } = await judge(command, signal);
  await output?.write(dotOf(document));
  return {
    output: options.json ? `${JSON.stringify(document, undefined, 2)}\n` : hangText(document) + held,
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
  const first = await looks.take(signal);
  const target = options.target.kind === 'cores' ? 'core' : 'live';
  const verdict = (seen: readonly (readonly ProcessState[])[]) =>
    verdictOf({ target, looks: seen, seconds: lookAgain });
  const once = verdict([first.answer]);
  if (target === 'core' || once.document.verdict === 'progress')
    return { document: once.document, held: target === 'core' ? '' : heldText([first]), warnings: first.warnings };
  await untilAborted(signal, sleep(lookAgain * 1000));
  const second = await looks.take(signal);
  const { document } = verdict([first.answer, second.answer]);
  return { document, held: heldText([first, second]), warnings: first.warnings };
}

function heldText(looks: readonly { ranks: number; held: number }[]): string {
  const times = looks.map(({ held }) => `${(held / 1000).toFixed(2)} s`).join(' and ');
  const count = looks[0]!.ranks;
  return `(${count} ${count === 1 ? 'rank was' : 'ranks were'} held for ${times})\n`;
}
