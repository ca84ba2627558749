/**
 * When every rank of the focus has stopped in a call of MPI that waits: what kind of mistake it is, above the Ranks view;
 * why, in the debug console; and for a deadlock the view that says it all, in the panel.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { visible } from '../../plugin-api/visible-text';
import { inLines, lineWidth } from '../../plugin-api/answers/text/wrapped';
import { formatRankSet, rankSetOf } from '../../plugin-api/answers/rank-set';
import { views } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { canLookAgain } from '../ranks/look-again';
import { JobClient } from '../ranks/job-client';
import { nameInSet, namesIn } from '../ranks/rank-numbers';
import { wordsOfRanks } from '../ranks/rank-text';
import { titleOfVerdict } from '../ranks/state-words';
import type { Row } from './row';

export function showHangLine(view: vscode.TreeView<Row>, changes: JobChanges): vscode.Disposable {
  let asked = 0;
  let told = '';
  return changes.onDidChange(async () => {
    const mine = ++asked;
    // While a job starts or ends it cannot be asked.
    const document = await whyItWaits(JobClient.active()).catch(() => undefined);
    // The job has moved in between.
    if (mine !== asked) return;
    view.message = document && titleWithRanks(document);
    const sentence = document === undefined ? '' : visible(document.sentence);
    if (document === undefined || sentence === told) {
      told = sentence;
      return;
    }
    told = sentence;
    // That ranks wait for a moment, as after an attach, is no news, and what another look will tell would stay above that.
    if (document.verdict !== 'progress' && !canLookAgain(document))
      vscode.debug.activeDebugConsole.appendLine(
        [titleOfVerdict(document), ...firstOf(sentence).map((each) => inLines(withPaths(each, document)))].join('\n'),
      );
    if (document.verdict === 'deadlock' || canLookAgain(document))
      await vscode.commands.executeCommand(`${views.hang}.focus`, { preserveFocus: true });
  });
}

/** "Deadlock: the tags differ · ranks 0-1": a side bar has no room for more. */
function titleWithRanks(document: HangDocument): string {
  const title = titleOfVerdict(document);
  const { culprits } = document;
  const ranks = culprits.length === 0 ? '' : ` · ${wordsOfRanks(formatRankSet(rankSetOf(culprits)))}`;
  return `${title}${ranks}`;
}

/** "./solver.c:88" for "solver.c:88" where the file is in the folder of the session: VS Code makes a link of it. */
function withPaths(sentence: string, { ranks }: HangDocument): string {
  const folder = vscode.debug.activeDebugSession?.workspaceFolder;
  const paths = new Map<string, string>();
  for (const rank of ranks) {
    const file = 'error' in rank ? undefined : rank.code?.file;
    if (file === undefined || folder === undefined) continue;
    const inFolder = path.relative(folder.uri.fsPath, file);
    if (inFolder !== '' && !inFolder.startsWith('..')) paths.set(path.basename(file), `./${inFolder}`);
  }
  return sentence.replace(/(?<=\()[^\s():/]+(?=:\d+)/g, (name) => paths.get(name) ?? name);
}

/** In characters: two lines. The view in the panel says the rest. */
const room = 2 * lineWidth;

/**
 * The first sentence, which is the cause, those up to the first that has a place, and as many more as there is room for: mostly they say what
 * the other side has done instead.
 */
function firstOf(text: string): string[] {
  const sentences = text.split(/(?<=[^.]\.) (?=\p{Lu})/u);
  const placed = sentences.findIndex((sentence) => /\([^\s()]+:\d+\)/.test(sentence));
  let count = Math.max(0, placed) + 1;
  while (count < sentences.length && sentences.slice(0, count + 1).join(' ').length <= room) count++;
  return sentences.slice(0, count);
}

/** Undefined: some rank does not wait, or none in MPI. */
async function whyItWaits(job: JobClient | undefined): Promise<HangDocument | undefined> {
  if (job === undefined) return undefined;
  const [ranks, { ranks: set }] = await Promise.all([job.ranksWithPlaces(), job.focus()]);
  const inFocus = new Set<string | undefined>(namesIn(set));
  const focused = ranks.filter((rank) => inFocus.has(nameInSet(rank)));
  // Cheap, so that a stop elsewhere costs no look at the queues.
  const mayWait = focused.every(
    // One that is about to end stands in a call of MPI and waits for nobody.
    // Where the line of one is not known it is not known either that it does not wait.
    ({ state, inMpi, waits, stopReason, source }) =>
      /^(stopped|core)$/.test(state) &&
      stopReason !== 'death' &&
      (inMpi === true || waits !== undefined || source === undefined),
  );
  if (!focused.some(({ inMpi }) => inMpi) || !mayWait) return undefined;
  const document = await job.hang();
  const positions = document.ranks.filter((rank) => inFocus.has(nameInSet(rank)));
  const allWait = positions.every(
    (each) => 'state' in each && (['blocked', 'finalizing'].includes(each.state) || each.waitsIn !== undefined),
  );
  return allWait ? document : undefined;
}
