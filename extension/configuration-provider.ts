import * as vscode from 'vscode';
import { debugType } from './manifest/manifest';
import { pickProgram } from './pickers';

/** Makes a configuration of F5 without a launch.json; one that is there goes to the adapter, which judges it. */
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

/** What the user's settings say for every configuration that does not say otherwise. */
function settingsOf(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration('mpidbg', folder);
  return { scope: settings.get('scope'), helperThreads: settings.get('helperThreads') };
}
