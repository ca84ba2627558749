/** The commands that choose ranks: by a set, a name, a communicator, an expression, or their source location. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { scopes } from '../../plugin-api/answers/focus-body';
import { RankSetError, parseRanks } from '../../plugin-api/answers/rank-set';
import { JobClient, selectedFrame, type Movement, type RankSetQuestion, type Scope } from './job-client';
import { worldsOf, type World } from './worlds';

/** The named rank sets of the workspace. */
function namedSets(): Record<string, string> {
  return vscode.workspace.getConfiguration('mpidbg').get<Record<string, string>>('rankSets', {});
}

/** What *Set Focus…* offers. `choose` answers a rank set; undefined: the user cancelled. */
interface Choice extends vscode.QuickPickItem {
  choose(job: JobClient): Promise<string | undefined>;
}

export async function setFocus(): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const chosen = await pickOrType(worldsOf(await job.ranksWithCommands()));
  const ranks = await chosen?.choose(job);
  if (ranks === undefined) return;
  if (ranks === '') void vscode.window.showInformationMessage(l10n.t('No rank matches: the focus stays as it is.'));
  else await job.focus({ ranks });
}

/** What is typed is a set of ranks at once, "1-2", or filters the choices. */
function pickOrType(worlds: readonly World[]): Promise<Choice | undefined> {
  const pick = vscode.window.createQuickPick<Choice>();
  const all = choices(worlds);
  pick.title = l10n.t('MPI: Focus on…');
  pick.placeholder = l10n.t('Type ranks, such as 0-3,7, or choose');
  pick.items = all;
  pick.onDidChangeValue((value) => {
    const ranks = value.trim();
    const isSet = ranks !== '' && wrongSet(ranks) === undefined;
    const typed = {
      label: `$(edit) ${l10n.t('Ranks {0}', ranks)}`,
      alwaysShow: true,
      choose: async () => ranks,
    };
    pick.items = isSet ? [typed, ...all] : all;
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function choices(worlds: readonly World[]): Choice[] {
  const frame = selectedFrame();
  const ask = (question: RankSetQuestion) => (job: JobClient) => job.rankSet(question);
  return [
    { label: `$(clear-all) ${l10n.t('All ranks')}`, choose: async () => 'all' },
    ...worlds.map((world) => ({ ...world, choose: async () => world.ranks })),
    ...Object.entries(namedSets()).map(([name, set]) => ({
      label: `$(bookmark) ${name}`,
      description: set,
      choose: async () => set,
    })),
    ...(frame === undefined
      ? []
      : [{ label: `$(debug-stackframe) ${l10n.t('Ranks stopped here')}`, choose: ask({ stoppedLike: frame }) }]),
    {
      label: `$(filter) ${l10n.t('Ranks where…')}`,
      description: l10n.t('an expression is true'),
      choose: askForCondition,
    },
    { label: `$(type-hierarchy) ${l10n.t('Ranks of a communicator…')}`, choose: askForComm },
    {
      label: `$(split-horizontal) ${l10n.t('A row or column of a cartesian communicator…')}`,
      choose: askForLine,
    },
  ];
}

function wrongSet(text: string): string | undefined {
  try {
    parseRanks(text);
    return undefined;
  } catch (error) {
    if (error instanceof RankSetError) return error.message;
    throw error;
  }
}

async function askForCondition(job: JobClient): Promise<string | undefined> {
  const where = await vscode.window.showInputBox({
    title: l10n.t('MPI: Ranks where'),
    placeHolder: 'residual > 0.1',
  });
  return where ? job.rankSet({ where }) : undefined;
}

async function askForComm(job: JobClient): Promise<string | undefined> {
  const comm = await vscode.window.showInputBox({
    title: l10n.t('MPI: Ranks of the communicator'),
    value: 'MPI_COMM_WORLD',
  });
  return comm ? job.rankSet({ comm }) : undefined;
}

async function askForLine(job: JobClient): Promise<string | undefined> {
  const comm = await vscode.window.showInputBox({
    title: l10n.t('MPI: Cartesian communicator'),
    placeHolder: 'grid',
  });
  if (!comm) return undefined;
  const dimension = await vscode.window.showInputBox({
    title: l10n.t('MPI: Dimension (from 0)'),
    value: '0',
    validateInput: (text) => (/^\s*\d+\s*$/.test(text) ? undefined : l10n.t('A number: 0, 1, 2')),
  });
  return dimension === undefined ? undefined : job.rankSet({ comm, dimension: Number(dimension) });
}

export async function focusOn(ranks: string): Promise<void> {
  await JobClient.active()?.focus({ ranks });
}

export async function saveFocus(): Promise<void> {
  const focus = await JobClient.active()?.focus();
  if (focus === undefined) return;
  const name = await vscode.window.showInputBox({ title: l10n.t('MPI: Name of the set {0}', focus.ranks) });
  if (!name) return;
  const target = vscode.workspace.workspaceFolders === undefined ? vscode.ConfigurationTarget.Global : undefined;
  await vscode.workspace.getConfiguration('mpidbg').update('rankSets', { ...namedSets(), [name]: focus.ranks }, target);
}

const scopeWords: Record<Scope, () => string> = {
  thread: () => l10n.t('The selected thread alone'),
  rank: () => l10n.t("The selected thread's rank"),
  focus: () => l10n.t('The ranks of the focus'),
  all: () => l10n.t('All ranks'),
};

async function pickScope(title: string): Promise<Scope | undefined> {
  const items = scopes.map((scope) => ({ label: scopeWords[scope](), scope }));
  return (await vscode.window.showQuickPick(items, { title }))?.scope;
}

export async function setScope(): Promise<void> {
  const scope = await pickScope(l10n.t('MPI: Continue, step and pause act on'));
  if (scope !== undefined) await JobClient.active()?.focus({ scope });
}

const commandTitles: Record<Movement, () => string> = {
  continue: () => l10n.t('MPI: Continue'),
  next: () => l10n.t('MPI: Step over with'),
  pause: () => l10n.t('MPI: Pause'),
};

/** One command on what the user picks now. */
export async function actOn(command: Movement): Promise<void> {
  const scope = await pickScope(commandTitles[command]());
  if (scope !== undefined) await JobClient.active()?.act(command, scope);
}
