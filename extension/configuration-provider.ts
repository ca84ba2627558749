import * as vscode from 'vscode';
import { withCallStack } from './call-stack';
import { orKeptSession } from './kept-sessions';
import { debugType } from './manifest/manifest';
import { pickProgram } from './pickers';
import { nameOfStart, tellStart, type RankCount } from './rank-count';

/** Makes the configuration for F5 without a launch.json; an existing one goes to the adapter, which checks it. */
export function configurationProvider(rankCount: RankCount): vscode.DebugConfigurationProvider {
  return {
    async resolveDebugConfiguration(folder, configuration) {
      if (process.platform !== 'linux') {
        await vscode.window.showErrorMessage('mpidbg debugs on Linux.', {
          modal: true,
          detail: 'Open the folder on a Linux machine with Remote - SSH, WSL or a container.',
        });
        return undefined;
      }
      if (configuration.type) return orKeptSession(folder, { ...settingsOf(folder), ...configuration });
      const program = await pickProgram(folder);
      const ranks = program && (await rankCount.get());
      if (!ranks) return undefined;
      const name = nameOfStart(program, ranks);
      tellStart(name);
      return { ...settingsOf(folder), type: debugType, request: 'launch', name, program, ranks };
    },
    resolveDebugConfigurationWithSubstitutedVariables: (_folder, configuration) => withCallStack(configuration),
  };
}

/** The user's settings, for every configuration that does not override them. */
function settingsOf(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration('mpidbg', folder);
  const names = ['scope', 'helperThreads', 'keepSession'];
  return Object.fromEntries(names.map((name) => [name, settings.get(name)]));
}
