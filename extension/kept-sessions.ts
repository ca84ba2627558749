/** Sessions of windows that were lost, for the user to take up again. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { endSession, keptSessions, type KeptSession, type SessionPlace } from '../adapter/dap/client/session-folder';
import { debugType } from './manifest/manifest';

type Kept = KeptSession & SessionPlace;

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
  const resume = l10n.t('Resume');
  const endIt = l10n.t('End It and Start Anew');
  const answer = await vscode.window.showInformationMessage(
    kept.since === null
      ? l10n.t('A session of "{0}" runs in another window, which may be lost.', name)
      : l10n.t('A session of "{0}" has lost its window and is kept.', name),
    { modal: true, detail: describe(kept) },
    resume,
    kept.since === null ? l10n.t('Start Another') : endIt,
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
    title: l10n.t('MPI: Resume a session'),
    placeHolder:
      items.length > 0
        ? l10n.t('Choose a session of a window that is lost')
        : l10n.t('No other window has a session here'),
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
  const state =
    since === null ? l10n.t('in another window') : l10n.t('kept since {0}', new Date(since).toLocaleTimeString());
  return ranks === 1 ? l10n.t('1 rank, {0}', state) : l10n.t('{0} ranks, {1}', ranks, state);
}
