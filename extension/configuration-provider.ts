import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { withWorld } from './attached-world';
import { isReadyToStart } from './build-task';
import { withCallStack } from './call-stack';
import { orKeptSession } from './kept-sessions';
import { launchDefaults } from './launch-defaults';
import { debugType } from './manifest/manifest';
import { pickProgram } from './pickers';
import { nameOfStart, tellStart, type RankCount } from './rank-count';

/** Makes the configuration for F5 without a launch.json; an existing one goes to the adapter, which checks it. */
export function configurationProvider(rankCount: RankCount): vscode.DebugConfigurationProvider {
  return {
    async resolveDebugConfiguration(folder, configuration) {
      if (process.platform !== 'linux') {
        await vscode.window.showErrorMessage(l10n.t('mpidbg debugs on Linux.'), {
          modal: true,
          detail: l10n.t('Open the folder on a Linux machine with Remote - SSH, WSL or a container.'),
        });
        return undefined;
      }
      if (configuration.type) {
        const ofRequest = configuration.request === 'attach' ? {} : launchDefaults(folder);
        return orKeptSession(folder, { ...settingsOf(folder), ...ofRequest, ...configuration });
      }
      const start = await chosenStart(folder, rankCount);
      return start && { ...settingsOf(folder), ...launchDefaults(folder), ...start };
    },
    async resolveDebugConfigurationWithSubstitutedVariables(_folder, configuration) {
      const chosen = await withWorld(configuration);
      return chosen && withCallStack(chosen);
    },
  };
}

/** Undefined: the user cancels. */
async function chosenStart(
  folder: vscode.WorkspaceFolder | undefined,
  rankCount: RankCount,
): Promise<vscode.DebugConfiguration | undefined> {
  const program = await pickProgram(folder);
  if (program === undefined || !(await isReadyToStart(program, folder))) return undefined;
  const ranks = await rankCount.get(program);
  if (!ranks) return undefined;
  const name = nameOfStart(program, ranks);
  tellStart(name);
  return { type: debugType, request: 'launch', name, program, ranks };
}

/** The command: as F5 without a launch.json. */
export async function startProgram(rankCount: RankCount): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const start = await chosenStart(folder, rankCount);
  if (start !== undefined) await vscode.debug.startDebugging(folder, start);
}

/** The user's settings, for every configuration that does not override them. */
function settingsOf(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration('mpidbg', folder);
  const names = ['scope', 'helperThreads', 'markDifferences', 'keepSession'];
  return Object.fromEntries(names.map((name) => [name, settings.get(name)]));
}
