import * as vscode from 'vscode';
import { missingTarget, withNumbers } from './configuration';
import { debugType } from './manifest';
import { pickProgram } from './pickers';

/** Makes a complete configuration of what launch.json says, or of nothing when there is none. */
export const configurationProvider: vscode.DebugConfigurationProvider = {
  async resolveDebugConfiguration(folder, configuration) {
    if (process.platform !== 'linux') {
      await vscode.window.showErrorMessage('mpidbg debugs on Linux.', {
        modal: true,
        detail: 'Open the folder on a Linux machine with Remote - SSH, WSL or a container.',
      });
      return undefined;
    }
    if (configuration.type) return configuration;
    // F5 without a launch.json.
    const program = await pickProgram(folder);
    return program ? { type: debugType, request: 'launch', name: 'MPI: launch', program } : undefined;
  },

  resolveDebugConfigurationWithSubstitutedVariables(folder, configuration) {
    const missing = missingTarget(configuration);
    if (missing) {
      void vscode.window.showErrorMessage(missing, { modal: true });
      return null; // VS Code opens launch.json.
    }
    return withNumbers({ cwd: folder?.uri.fsPath, ...configuration });
  },
};
