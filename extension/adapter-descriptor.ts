import path from 'node:path';
import * as vscode from 'vscode';

/** Runs the adapter of this extension with VS Code's own Node, which "node" stands for: users need not install Node. */
export function adapterDescriptorFactory(extensionPath: string): vscode.DebugAdapterDescriptorFactory {
  const adapter = path.join(extensionPath, 'dist', 'adapter.js');
  return {
    createDebugAdapterDescriptor: (session) =>
      new vscode.DebugAdapterExecutable('node', [adapter], { cwd: session.workspaceFolder?.uri.fsPath }),
  };
}
