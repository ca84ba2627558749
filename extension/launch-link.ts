/**
 * Links that start a session: vscode://EXTENSION/launch?name=NAME for a configuration of launch.json, and
 * …/launch/config?{"program":…} for one that is written out. A page may hold such a link: nothing starts without a question.
 */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleLines } from '../plugin-api/visible-text';
import { debugType } from './manifest/manifest';

export const launchLinks: vscode.UriHandler = { handleUri: (uri) => startOf(uri) };

async function startOf({ path, query }: vscode.Uri): Promise<void> {
  const start = path === '/launch/config' ? configurationIn(query) : new URLSearchParams(query).get('name');
  if (!start || !/^\/launch(\/config)?$/.test(path)) {
    void vscode.window.showErrorMessage(l10n.t('This link starts nothing: it names no configuration.'));
    return;
  }
  const detail = typeof start === 'string' ? start : JSON.stringify(start, undefined, 2);
  const run = l10n.t('Start');
  const question = l10n.t('Start what this link asks for?');
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail: visibleLines(detail) }, run);
  if (answer === run) await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], start);
}

/** Undefined: it is none. */
function configurationIn(query: string): vscode.DebugConfiguration | undefined {
  try {
    const given: unknown = JSON.parse(query);
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
    return { request: 'launch', name: 'MPI', ...given, type: debugType };
  } catch {
    return undefined;
  }
}
