/** "Show as MPI Handle": the user says what an INTEGER is; kept in the workspace's settings. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Annotation } from '../../adapter/fortran/annotations';
import { annotations, keepAnnotations } from './annotation-setting';
import type { FortranClient } from './client';
import { annotationCommands, type AnnotationChoice } from '../manifest/fortran-contributions';
import { askAdapter } from '../ranks/ask-adapter';
import { expressionAt } from './expression';

/** What VS Code passes to a command of the Variables and Watch views' menus. */
interface VariableMenuItem {
  variable?: { name?: string; evaluateName?: string };
  /** In the Watch view. */
  name?: string;
  evaluateName?: string;
}

/** The variable that the user points at. */
interface NamedVariable {
  /** As Annotation names it. */
  variable: string;
  /** What qualifies its name: a module, or the function. */
  prefix: string | undefined;
  /** The function of the frame that it is shown in. */
  function?: string | undefined;
  source?: { uri: vscode.Uri; line: number } | undefined;
}

type Scope = Pick<Annotation, 'variable' | 'function' | 'file'>;

export function registerAnnotations(client: FortranClient): vscode.Disposable {
  return vscode.Disposable.from(
    ...annotationCommands.map(({ choice, command }) =>
      vscode.commands.registerCommand(command, (item?: VariableMenuItem) => annotate(client, choice, item)),
    ),
  );
}

async function annotate(
  client: FortranClient,
  choice: AnnotationChoice,
  item: VariableMenuItem | undefined,
): Promise<void> {
  const named = isMenuItem(item) ? await inSession(item) : inEditor();
  if (named === undefined) {
    void vscode.window.showInformationMessage(
      isMenuItem(item)
        ? l10n.t('This is not a variable: only INTEGER variables and components can be MPI handles.')
        : l10n.t('Put the cursor on a variable: only INTEGER variables and components can be MPI handles.'),
    );
    return;
  }
  const scope = await scopeOf(client, named);
  if (scope === undefined) {
    void vscode.window.showWarningMessage(
      l10n.t('There is no variable {0} here that could be an MPI handle.', named.variable),
    );
    return;
  }
  const others = annotations().filter((other) => !isSameVariable(other, scope));
  await keepAnnotations(choice === 'inferred' ? others : [...others, { ...scope, kind: choice }]);
}

/** A command of an editor's menu is given the file's address instead. */
function isMenuItem(item: VariableMenuItem | undefined): item is VariableMenuItem {
  return item !== undefined && !(item instanceof vscode.Uri);
}

async function inSession({ variable, name, evaluateName }: VariableMenuItem): Promise<NamedVariable | undefined> {
  const designator = designatorOf(variable?.evaluateName ?? variable?.name ?? evaluateName ?? name);
  return designator && { ...designator, ...(await selectedFrame()) };
}

function inEditor(): NamedVariable | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line, character } = editor.selection.active;
  const { text } = editor.document.lineAt(line);
  const range = expressionAt(text, character) ?? expressionAt(text, Math.max(0, character - 1));
  const designator = range && designatorOf(text.slice(range.start, range.end));
  return designator && { ...designator, source: { uri: editor.document.uri, line: line + 1 } };
}

/** `step::reqs(2)` → `reqs`, named with `step`. */
function designatorOf(expression: string | undefined): Pick<NamedVariable, 'variable' | 'prefix'> | undefined {
  const bare = expression?.replace(/^\*|\([^()]*\)|\[[^\]]*\]|\s+/g, '').toLowerCase() ?? '';
  const [, prefix, variable] = /^(?:(?:\w+::)*(\w+)::)?([a-z_]\w*(?:%\w+)*)$/.exec(bare) ?? [];
  return variable === undefined ? undefined : { variable, prefix };
}

/** The frame that is selected in the Call Stack view. */
async function selectedFrame(): Promise<Pick<NamedVariable, 'function' | 'source'>> {
  const item = vscode.debug.activeStackItem;
  if (!(item instanceof vscode.DebugStackFrame)) return {};
  const { stackFrames } = await askAdapter(item.session, 'stackTrace', { threadId: item.threadId });
  const frame = stackFrames.find(({ id }) => id === item.frameId);
  const path = frame?.source?.path;
  return {
    function: frame?.name.replace(/\s.*$/, '').toLowerCase(),
    source: frame && path !== undefined ? { uri: uriOf(path), line: frame.line } : undefined,
  };
}

/** If the window is on another machine, VS Code writes the path as an address of the machine that this code runs on. */
function uriOf(path: string): vscode.Uri {
  return vscode.Uri.file(/^[a-z][\w+.-]+:\/\//i.test(path) ? vscode.Uri.parse(path).path : path);
}

/**
 * The scope that declares it, according to the language server; if the source is not in the workspace, the function
 * and file in which it is seen. undefined: there is no such variable.
 */
async function scopeOf(client: FortranClient, named: NamedVariable): Promise<Scope | undefined> {
  const { variable, prefix, source, function: fn } = named;
  const isOwn = prefix === undefined || prefix === fn?.split('::').at(-1);
  if (!isOwn) return { variable, function: prefix };
  const answer = source && (await client.declaration({ file: source.uri.fsPath, line: source.line, variable }));
  if (answer === undefined || answer === null) {
    return { variable, ...(fn && { function: fn }), ...(source && { file: relative(source.uri) }) };
  }
  const { declaration } = answer;
  // A variable of a frame exists, whatever the text says now.
  if (declaration === undefined)
    return fn && source ? { variable, function: fn, file: relative(source.uri) } : undefined;
  const { scope, file } = declaration;
  return {
    variable: declaration.variable,
    ...(scope === '' ? {} : { function: scope }),
    file: relative(vscode.Uri.file(file)),
  };
}

function isSameVariable(a: Scope, b: Scope): boolean {
  const plain = (fn: string | undefined): string | undefined => fn?.toLowerCase().split('::').at(-1);
  return (
    a.variable.toLowerCase() === b.variable.toLowerCase() &&
    plain(a.function) === plain(b.function) &&
    a.file === b.file
  );
}

function relative(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri, false);
}
