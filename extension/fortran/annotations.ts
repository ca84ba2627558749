/** "Show as MPI Handle": the user says what an INTEGER is; kept in the workspace's settings, told to every session. */
import * as vscode from 'vscode';
import type { Annotation } from '../../adapter/fortran/annotations';
import { debugType } from '../manifest';
import { annotationCommands, annotationsSetting, type AnnotationChoice } from './contributions';
import { expressionAt } from './expression';

/** What VS Code passes to a command of the Variables and Watch views' menus. */
interface VariableMenuItem {
  variable?: { name?: string; evaluateName?: string };
  /** In the Watch view. */
  name?: string;
  evaluateName?: string;
}

export function registerAnnotations(): vscode.Disposable {
  return vscode.Disposable.from(
    ...annotationCommands.map(({ choice, command }) =>
      vscode.commands.registerCommand(command, (item?: VariableMenuItem) => annotate(choice, item)),
    ),
    vscode.debug.onDidStartDebugSession((session) => tell(session, annotations())),
    vscode.workspace.onDidChangeConfiguration((change) => {
      const { activeDebugSession } = vscode.debug;
      if (activeDebugSession === undefined) return;
      if (change.affectsConfiguration(`${annotationsSetting.section}.${annotationsSetting.name}`)) {
        tell(activeDebugSession, annotations());
      }
    }),
  );
}

function annotations(): readonly Annotation[] {
  const { section, name } = annotationsSetting;
  return vscode.workspace.getConfiguration(section).get<Annotation[]>(name) ?? [];
}

function tell(session: vscode.DebugSession, list: readonly Annotation[]): void {
  if (session.type !== debugType) return;
  for (const annotation of list) {
    session.customRequest('mpidbg/annotate', annotation).then(undefined, (error: Error) => {
      void vscode.window.showWarningMessage(`The setting mpidbg.handles: ${error.message}`);
    });
  }
}

async function annotate(kind: AnnotationChoice, item: VariableMenuItem | undefined): Promise<void> {
  const variable = isMenuItem(item) ? nameIn(item) : nameInEditor();
  if (variable === undefined) {
    void vscode.window.showInformationMessage('Put the cursor on the INTEGER variable that is an MPI handle.');
    return;
  }
  const scope = isMenuItem(item) ? await selectedFunction() : scopeOfEditor();
  const annotation: Annotation = { variable, kind, ...scope };
  const isSame = (other: Annotation): boolean =>
    other.variable === variable && other.function === annotation.function && other.file === annotation.file;
  const { section, name } = annotationsSetting;
  const list = [...annotations().filter((other) => !isSame(other)), annotation];
  const target =
    vscode.workspace.workspaceFolders === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration(section).update(name, list, target);
}

/** A command of an editor's menu is given the file's address instead. */
function isMenuItem(item: VariableMenuItem | undefined): item is VariableMenuItem {
  return item !== undefined && !(item instanceof vscode.Uri);
}

function nameIn({ variable, name, evaluateName }: VariableMenuItem): string | undefined {
  return designatorOf(variable?.evaluateName ?? variable?.name ?? evaluateName ?? name);
}

function nameInEditor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line, character } = editor.selection.active;
  const { text } = editor.document.lineAt(line);
  const range = expressionAt(text, character) ?? expressionAt(text, Math.max(0, character - 1));
  return range && designatorOf(text.slice(range.start, range.end));
}

/** `reqs(2)` → `reqs`, as an annotation names it. */
function designatorOf(expression: string | undefined): string | undefined {
  const bare = expression
    ?.replace(/\([^()]*\)|\s+/g, '')
    .replace(/^\w+::(?=\w+$)/, '')
    .toLowerCase();
  return bare !== undefined && /^[a-z_]\w*(%\w+)*$/.test(bare) ? bare : undefined;
}

/** The function and file of the frame that is selected in the Call Stack view. */
async function selectedFunction(): Promise<Pick<Annotation, 'function' | 'file'>> {
  const item = vscode.debug.activeStackItem;
  if (!(item instanceof vscode.DebugStackFrame)) return {};
  const { stackFrames } = (await item.session.customRequest('stackTrace', { threadId: item.threadId })) as {
    stackFrames: { id: number; name: string; source?: { path?: string } }[];
  };
  const frame = stackFrames.find(({ id }) => id === item.frameId);
  const file = frame?.source?.path;
  return {
    ...(frame === undefined ? {} : { function: frame.name.replace(/\s.*$/, '').toLowerCase() }),
    ...(file === undefined ? {} : { file: relative(vscode.Uri.file(file)) }),
  };
}

/** In an editor only the file is certain: a variable of the same name means the same in most files. */
function scopeOfEditor(): Pick<Annotation, 'file'> {
  const document = vscode.window.activeTextEditor?.document;
  return document === undefined ? {} : { file: relative(document.uri) };
}

function relative(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri, false);
}
