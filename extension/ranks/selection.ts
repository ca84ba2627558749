/** Which thread VS Code shows: one of the ranks that the user clicks on, or one of the focus. */
import * as vscode from 'vscode';
import { isOneRank } from '../../plugin-api/mpi/rank-names';
import { debugType } from '../manifest/manifest';
import { JobClient, selectedFrame, type RankRow } from './job-client';
import { nextEvent } from './next-event';
import { nameInSet, namesIn } from './rank-numbers';
import type { RowTarget } from './row-target';
import { showSource } from './show-source';

/** A click on a row: shows the first of its ranks that is stopped, and the row's line. */
export async function showRow({ ranks, source }: RowTarget): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const shown = nextShown();
  if (await showOneOf(job, ranks)) await shown;
  if (source === undefined) return;
  const selection = new vscode.Range(source.line - 1, 0, source.line - 1, 0);
  await showSource(vscode.Uri.file(source.file), selection);
}

/** A click on a rank of the Ranks view focuses on it too, but leaves a focus of several ranks that somebody chose. */
export async function showRank({ ranks }: RowTarget): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const focus = await job.focus();
  if (focus.all || isOneRank(focus.ranks)) await job.focus({ ranks });
  await showOneOf(job, ranks);
}

/** A frame of a stopped thread; VS Code itself can only be told to go from one frame to its caller. */
export async function showFrame(
  job: JobClient,
  { threadId, frameId }: { threadId: number; frameId: number },
): Promise<void> {
  const shown = nextShown();
  await job.select({ threadId });
  await shown;
  for (let callers = 0; callers < maxCallers && selectedFrame() !== frameId; callers++) {
    const next = nextShown();
    await vscode.commands.executeCommand('workbench.action.debug.callStackDown');
    await next;
  }
}

/** With a focus, what is shown is one of it: VS Code would show another rank's variables. */
export function showFocusedRanks(): vscode.Disposable {
  return vscode.debug.onDidReceiveDebugSessionCustomEvent(async ({ session, event, body }) => {
    if (session.type !== debugType || event !== 'mpidbg/focusChanged') return;
    const { ranks, all } = body as { ranks: string; all: boolean };
    const job = new JobClient(session);
    const shown = await shownRank(job);
    if (!all && !(shown !== undefined && namesIn(ranks).includes(shown))) await showOneOf(job, ranks);
  });
}

/** False: none of them is stopped. */
async function showOneOf(job: JobClient, ranks: string): Promise<boolean> {
  const names = new Set<string | undefined>(namesIn(ranks));
  const stopped = (await job.ranks()).find((rank) => names.has(nameInSet(rank)) && isStopped(rank.state));
  const name = stopped && nameInSet(stopped);
  if (name === undefined) return false;
  await job.select({ ranks: name });
  return true;
}

const isStopped = (state: RankRow['state']): boolean => state === 'stopped' || state === 'core';

/** The next stopped rank of the focus, or the one before; from the last one to the first. */
export async function showNeighbour(step: 1 | -1): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const inFocus = namesIn((await job.focus()).ranks);
  const rows = await job.ranks();
  const stopped = inFocus.filter((name) => rows.some((row) => nameInSet(row) === name && isStopped(row.state)));
  const shown = await shownRank(job);
  const place = shown === undefined ? -1 : stopped.indexOf(shown);
  const next = stopped.at((place < 0 && step < 0 ? 0 : place + step) % stopped.length);
  if (next !== undefined && next !== shown) await job.select({ ranks: next });
}

async function shownRank(job: JobClient): Promise<string | undefined> {
  const thread = vscode.debug.activeStackItem?.threadId;
  const row = (await job.ranks()).find(({ threadIds }) => thread !== undefined && threadIds.includes(thread));
  return row && nameInSet(row);
}

/** A thread that is deep in its own functions has fewer frames of the program. */
const maxCallers = 30;
/** VS Code opens the line of a frame that it shows by itself. */
function nextShown(): Promise<void> {
  return nextEvent(vscode.debug.onDidChangeActiveStackItem, (item) => item instanceof vscode.DebugStackFrame);
}
