/** When every rank of the focus has stopped in a call of MPI that waits: why, above the Ranks view and in the debug console. */
import * as vscode from 'vscode';
import { visible } from '../../plugin-api/visible-text';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { numbersOf } from '../ranks/rank-numbers';
import type { Row } from './row';

export function showHangLine(view: vscode.TreeView<Row>, changes: JobChanges): vscode.Disposable {
  let asked = 0;
  let told = '';
  return changes.onDidChange(async () => {
    const mine = ++asked;
    // While a job starts or ends it cannot be asked.
    const sentence = await whyItWaits(JobClient.active()).catch(() => '');
    // The job has moved in between.
    if (mine !== asked) return;
    view.message = sentence;
    if (sentence !== '' && sentence !== told) vscode.debug.activeDebugConsole.appendLine(sentence);
    told = sentence;
  });
}

/** Empty: some rank does not wait. */
async function whyItWaits(job: JobClient | undefined): Promise<string> {
  if (job === undefined) return '';
  const [ranks, { ranks: set }] = await Promise.all([job.ranksWithPlaces(), job.focus()]);
  const inFocus = new Set(numbersOf(set));
  const focused = ranks.filter(({ rank }) => rank !== null && inFocus.has(rank));
  // Cheap, so that a stop elsewhere costs no look at the queues.
  const mayWait = focused.every(({ state, place }) => /^(stopped|core)$/.test(state) && /^P?MPI_/i.test(place ?? ''));
  if (focused.length === 0 || !mayWait) return '';
  const document = await job.hang();
  const positions = document.ranks.filter(({ rank }) => rank !== null && inFocus.has(rank));
  const allWait = positions.every((each) => 'state' in each && ['blocked', 'finalizing'].includes(each.state));
  return allWait ? visible(document.sentence) : '';
}
