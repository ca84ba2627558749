/** How many ranks F5 starts without a launch.json: asked for once in a workspace, then remembered. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { defaults } from '../adapter/dap/start/launch-arguments';
import { visible } from '../plugin-api/visible-text';
import { rankCommands } from './manifest/contributions';
import { onAdapterMessage } from './ranks/adapter-messages';

const stateKey = 'mpidbg.ranksWithoutLaunchJson';

export class RankCount {
  constructor(private readonly state: vscode.Memento) {}

  /** Undefined if it was never answered and the user cancels. */
  async get(program: string): Promise<number | undefined> {
    return this.state.get<number>(stateKey) ?? this.ask(program);
  }

  /** @param program whose ranks they are: for the question */
  async ask(program?: string): Promise<number | undefined> {
    const answer = await vscode.window.showInputBox({
      title:
        program === undefined
          ? l10n.t('MPI: Number of ranks to start')
          : visible(l10n.t('{0}: number of ranks', path.basename(program))),
      prompt: l10n.t('Remembered for this workspace: "MPI: Number of Ranks for F5…" changes it.'),
      value: String(this.state.get(stateKey, defaults.ranks)),
      validateInput: (text) => (/^\s*[1-9]\d*\s*$/.test(text) ? undefined : l10n.t('A number: 1 or more')),
    });
    if (!answer) return undefined;
    const ranks = Number(answer);
    await this.state.update(stateKey, ranks);
    return ranks;
  }
}

/** The name of the session without a launch.json: the Call Stack view shows it. */
export function nameOfStart(program: string, ranks: number): string {
  return visible(
    ranks === 1
      ? l10n.t('{0} · 1 rank', path.basename(program))
      : l10n.t('{0} · {1} ranks', path.basename(program), ranks),
  );
}

/** In the status bar until the job has started; a click changes the number for the next time. */
export function tellStart(name: string): void {
  const item = vscode.window.createStatusBarItem('mpidbg.start', vscode.StatusBarAlignment.Left, 11);
  item.name = l10n.t('MPI start');
  item.text = `$(debug-start) ${l10n.t('Starting {0}', name)}`;
  item.tooltip = l10n.t('Change the number of ranks for the next F5');
  item.command = rankCommands.setRankCount;
  item.show();
  const told: vscode.Disposable = vscode.Disposable.from(
    item,
    onAdapterMessage((message) => {
      if (message.type === 'event' && endsOfStart.has(message.event)) told.dispose();
    }),
    // Also where it could not be started.
    vscode.debug.onDidTerminateDebugSession(() => void told.dispose()),
  );
}

const endsOfStart = new Set(['progressEnd', 'stopped', 'exited', 'terminated']);
