import * as vscode from 'vscode';
import { debugType } from './manifest';
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
    if (configuration.type) return configuration;
    const program = await pickProgram(folder);
    return program ? { type: debugType, request: 'launch', name: 'MPI: launch', program } : undefined;
  },
};
