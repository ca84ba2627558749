/** A second look at ranks that may hang: what has not moved between two looks waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { views } from '../manifest/contributions';
import { JobClient } from './job-client';

/** Milliseconds that the ranks run: a little longer than two looks have to be apart. */
const runningTime = 1200;

/** One look has not told. */
export function canLookAgain({ verdict, target, looks }: HangDocument): boolean {
  return verdict === 'unknown' && target === 'live' && looks.count === 1;
}

/** Lets the ranks of the focus run for a second and pauses them: the views then ask again. */
export async function lookAgain(): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const title = l10n.t('The ranks run for a second');
  await vscode.window.withProgress({ location: { viewId: views.hang }, title }, async () => {
    const { ranks } = await job.focus();
    await job.actOnRanks('continue', ranks);
    await sleep(runningTime);
    await job.actOnRanks('pause', ranks);
  });
}
