/** How many ranks F5 starts without a launch.json: asked for once in a workspace, then remembered. */
import path from 'node:path';
import * as vscode from 'vscode';
import { defaults } from '../adapter/dap/start/launch-arguments';
import { visible } from '../plugin-api/visible-text';
import { rankCommands } from './manifest/contributions';

const stateKey = 'mpidbg.ranksWithoutLaunchJson';

/** Milliseconds. */
const noticeTime = 15_000;

export class RankCount {
  constructor(private readonly state: vscode.Memento) {}

  /** Undefined if it was never answered and the user cancels. */
  async get(): Promise<number | undefined> {
    return this.state.get<number>(stateKey) ?? this.ask();
  }

  async ask(): Promise<number | undefined> {
    const answer = await vscode.window.showInputBox({
      title: vscode.l10n.t('MPI: Number of ranks to start'),
      prompt: vscode.l10n.t('Remembered for this workspace: "MPI: Number of Ranks for F5…" changes it.'),
      value: String(this.state.get(stateKey, defaults.ranks)),
      validateInput: (text) => (/^\s*[1-9]\d*\s*$/.test(text) ? undefined : vscode.l10n.t('A number: 1 or more')),
    });
    if (!answer) return undefined;
    const ranks = Number(answer);
    await this.state.update(stateKey, ranks);
    return ranks;
  }
}

/** The name of the session without a launch.json: the Call Stack view shows it. */
export function nameOfStart(program: string, ranks: number): string {
  return visible(`${path.basename(program)} on ${ranks} ${ranks === 1 ? 'rank' : 'ranks'}`);
}

/** In the status bar, where a click changes the number for the next time. */
export function tellStart(name: string): void {
  const item = vscode.window.createStatusBarItem('mpidbg.start', vscode.StatusBarAlignment.Left, 11);
  item.name = 'MPI start';
  item.text = `$(debug-start) ${vscode.l10n.t('Starting {0}', name)}`;
  item.tooltip = vscode.l10n.t('Change the number of ranks for the next F5');
  item.command = rankCommands.setRankCount;
  item.show();
  setTimeout(() => item.dispose(), noticeTime);
}
