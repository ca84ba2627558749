import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { keptSessions } from '../adapter/dap/client/session-folder';
import { isOurs } from './kept-sessions';

/**
 * An adapter for each session, in a process session of its own: it survives this extension host, which ends when the
 * connection to the window is lost for good. It runs with VS Code's own Node: users need not install Node.
 */
export function adapterDescriptorFactory(extensionPath: string): vscode.DebugAdapterDescriptorFactory {
  const adapter = path.join(extensionPath, 'dist', 'adapter.js');
  return {
    async createDebugAdapterDescriptor({ configuration, workspaceFolder }) {
      const kept: unknown = configuration.keptSession;
      const socket =
        kept === undefined ? await startAdapter(adapter, workspaceFolder?.uri.fsPath) : await socketOf(kept);
      isOurs(socket);
      return new vscode.DebugAdapterNamedPipeServer(socket);
    },
  };
}

/** The socket of a kept session. */
async function socketOf(id: unknown): Promise<string> {
  const place = (await keptSessions()).find((each) => each.id === id);
  if (place === undefined) throw new Error(l10n.t('This session has ended: start its configuration again.'));
  return place.socket;
}

/** Resolves with the socket that it listens at. Rejects with its own words when it cannot start. */
function startAdapter(adapter: string, cwd: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    // Without our parent, VS Code or its server, no window comes back.
    const child = spawn(process.execPath, [adapter, `--session=${process.ppid}`], {
      cwd,
      detached: true,
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines = createInterface(child.stderr);
    const said: string[] = [];
    lines.on('line', (line) => {
      said.push(line);
      const socket = /^listening on (.*)$/.exec(line)?.[1];
      if (socket === undefined) return;
      child.unref();
      child.stderr.destroy();
      resolve(socket);
    });
    child.once('error', reject);
    child.once('exit', () =>
      reject(new Error(said.join('\n') || l10n.t('the debug adapter ended when it was started'))),
    );
  });
}
