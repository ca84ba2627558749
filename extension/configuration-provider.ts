import * as vscode from 'vscode';
import { debugType } from './manifest/manifest';
import { pickProgram } from './pickers';

/** Makes the configuration for F5 without a launch.json; an existing one goes to the adapter, which checks it. */
export const configurationProvider: vscode.DebugConfigurationProvider = {
  async resolveDebugConfiguration(folder, configuration) {
    if (process.platform !== 'linux') {
      await vscode.window.showErrorMessage('mpidbg debugs on Linux.', {
        modal: true,
        detail: 'Open the folder on a Linux machine with Remote - SSH, WSL or a container.',
      });
      return undefined;
    }
    if (configuration.type) return { ...settingsOf(folder), ...configuration };
    const program = await pickProgram(folder);
    return program
      ? { ...settingsOf(folder), type: debugType, request: 'launch', name: 'MPI: launch', program }
      : undefined;
  },
};

/** The user's settings, for every configuration that does not override them. */
function settingsOf(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration('mpidbg', folder);
  return { scope: settings.get('scope'), helperThreads: settings.get('helperThreads') };
}
