/** Sessions of windows that were lost, for the user to take up again. */
import path from 'node:path';
import * as vscode from 'vscode';
import { endSession, keptSessions, type KeptSession, type SessionPlace } from '../adapter/dap/client/session-folder';
import { debugType } from './manifest/manifest';

type Kept = KeptSession & SessionPlace;

const resume = 'Resume';
const endIt = 'End It and Start Anew';
const another = 'Start Another';

/** The sockets of this window's own sessions: it does not take them from itself. */
const own = new Set<string>();

export function isOurs(socket: string): void {
  own.add(socket);
}

async function foreign(): Promise<Kept[]> {
  return (await keptSessions()).filter(({ socket }) => !own.has(socket));
}

/**
 * If another window has left a session of this configuration, asks the user what to do. Returns the configuration to
 * start; undefined: nothing.
 */
export async function orKeptSession(
  folder: vscode.WorkspaceFolder | undefined,
  configuration: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
  if (configuration.keptSession !== undefined) return configuration;
  const { name, request } = configuration;
  const kept = (await foreign()).find(
    (each) => each.name === name && each.request === request && each.folder === folder?.uri.fsPath,
  );
  if (kept === undefined) return configuration;
  const answer = await vscode.window.showInformationMessage(
    kept.since === null
      ? `A session of "${name}" runs in another window, which may be lost.`
      : `A session of "${name}" has lost its window and is kept.`,
    { modal: true, detail: describe(kept) },
    resume,
    kept.since === null ? another : endIt,
  );
  if (answer === undefined) return undefined;
  if (answer === resume) return toTakeUp(kept);
  if (answer === endIt) await endSession(kept);
  return configuration;
}

/** The command: any of them, wherever it was started. */
export async function resumeKeptSession(): Promise<void> {
  const items = (await foreign()).map((kept) => ({
    label: kept.name,
    description: path.basename(kept.folder),
    detail: describe(kept),
    kept,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'MPI: Resume a session',
    placeHolder: items.length > 0 ? 'Choose a session of a window that is lost' : 'No other window has a session here',
  });
  if (chosen === undefined) return;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.find(({ uri }) => uri.fsPath === chosen.kept.folder) ?? folders[0];
  await vscode.debug.startDebugging(folder, toTakeUp(chosen.kept));
}

function toTakeUp({ id, name, request }: Kept): vscode.DebugConfiguration {
  return { type: debugType, request, name, keptSession: id };
}

function describe({ ranks, since }: Kept): string {
  const state = since === null ? 'in another window' : `kept since ${new Date(since).toLocaleTimeString()}`;
  return `${ranks} ${ranks === 1 ? 'rank' : 'ranks'}, ${state}`;
}
