/** A step that waits for ranks that stand still: says so, and offers to let them run. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../../plugin-api/visible-text';
import { debugType } from '../manifest/manifest';
import { JobClient } from './job-client';
import { nameInSet, namesIn } from './rank-numbers';

export function tellStepsThatWait(): vscode.Disposable {
  return vscode.debug.onDidReceiveDebugSessionCustomEvent(async ({ session, event, body }) => {
    if (session.type !== debugType || event !== 'mpidbg/stepWaits') return;
    const { text, ranks, others } = body as { text: string; ranks: string; others: string };
    const runOthers = l10n.t('Run the Others');
    if ((await vscode.window.showInformationMessage(visible(text), runOthers)) !== runOthers) return;
    const job = new JobClient(session);
    // The step may have ended since.
    if (await areRunning(job, ranks)) await job.actOnRanks('continue', others);
  });
}

async function areRunning(job: JobClient, set: string): Promise<boolean> {
  const names = new Set<string | undefined>(namesIn(set));
  return (await job.ranks()).some((rank) => names.has(nameInSet(rank)) && rank.state === 'running');
}
