/** The annotations in the workspace's settings; every session is told about them. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Annotation } from '../../adapter/fortran/annotations';
import { debugType } from '../manifest/manifest';
import { askAdapter } from '../ranks/ask-adapter';
import type { ArgumentsOf } from '../../adapter/dap/request-table';
import { annotationsSetting } from '../manifest/fortran-contributions';

const { section, name } = annotationsSetting;

export function annotations(): readonly Annotation[] {
  return vscode.workspace.getConfiguration(section).get<Annotation[]>(name) ?? [];
}

export async function keepAnnotations(list: readonly Annotation[]): Promise<void> {
  const target =
    vscode.workspace.workspaceFolders === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration(section).update(name, list.length === 0 ? undefined : list, target);
}

/** Every session knows the setting, also after a change. */
export function tellSessions(): vscode.Disposable {
  const told = new Map<vscode.DebugSession, readonly Annotation[]>();
  const tell = (session: vscode.DebugSession): void => {
    const now = annotations();
    const before = told.get(session) ?? [];
    told.set(session, now);
    const same = (a: Annotation, b: Annotation): boolean => JSON.stringify(a) === JSON.stringify(b);
    for (const gone of before.filter((old) => !now.some((annotation) => same(annotation, old)))) {
      send(session, { ...gone, kind: 'inferred' });
    }
    for (const added of now.filter((annotation) => !before.some((old) => same(annotation, old)))) send(session, added);
  };
  return vscode.Disposable.from(
    vscode.debug.onDidStartDebugSession((session) => {
      if (session.type === debugType) tell(session);
    }),
    vscode.debug.onDidTerminateDebugSession((session) => told.delete(session)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${section}.${name}`)) [...told.keys()].forEach(tell);
    }),
  );
}

function send(session: vscode.DebugSession, annotation: ArgumentsOf<'mpidbg/annotate'>): void {
  askAdapter(session, 'mpidbg/annotate', annotation).then(undefined, (error: Error) => {
    void vscode.window.showWarningMessage(l10n.t('The setting mpidbg.handles: {0}', error.message));
  });
}
