/** Starts, stops, resets or writes a variable of MPI_T in the ranks of the focus, and says what came of it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { mergeEqual } from '../../plugin-api/answers/merge';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { Cvar, Pvar, VariableAction, VariableChange } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { visible } from '../../plugin-api/visible-text';
import { JobClient } from '../ranks/job-client';
import { ranksIn } from '../ranks/rank-numbers';
import { wordsOfRanks } from '../ranks/rank-text';
import { titleOf, wordsOfAnswer } from './variable-words';

type RankChange = VariableChange & { rank: number; world?: string };

export async function changePvar(pvar: Pvar, action: VariableAction): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const value = action === 'write' ? await askValue(pvar.name, pvar.datatype, '') : undefined;
  if (action === 'write' && value === undefined) return;
  const targets = await instancesOf(job, pvar);
  const change = { kind: 'pvar' as const, name: pvar.name, class: pvar.class, action };
  await carryOut(
    job,
    targets.map((target) => ({ ...change, ...target, ...(value === undefined ? {} : { value }) })),
  );
}

export async function writeCvar({ name, datatype, value: now, scope }: Cvar): Promise<void> {
  const job = JobClient.active();
  if (job === undefined) return;
  const before = isUnavailable(now) ? '' : typeof now === 'string' ? now : now.join(' ');
  const value = await askValue(name, datatype, before, /^(ALL|GROUP)/.test(scope));
  if (value === undefined) return;
  const ranks = ranksIn((await job.focus()).ranks);
  await carryOut(
    job,
    ranks.map((rank) => ({ ...rank, kind: 'cvar', name, action: 'write', value })),
  );
}

/** A text for MPI_CHAR, else numbers. */
async function askValue(
  name: string,
  datatype: string,
  before: string,
  ofAllRanks = false,
): Promise<VariableChange['value']> {
  const isText = datatype === 'MPI_CHAR';
  const text = await vscode.window.showInputBox({
    title: ofAllRanks
      ? l10n.t('MPI: Write {0} in the ranks of the focus, which MPI wants set in all ranks', visible(name))
      : l10n.t('MPI: Write {0} in the ranks of the focus', visible(name)),
    prompt: isText ? l10n.t('a text') : l10n.t('{0}: a number, or several with spaces between them', datatype),
    value: before,
    validateInput: (typed) => (isText || numbersIn(typed) !== undefined ? undefined : l10n.t('not a number')),
  });
  return text === undefined || isText ? text : numbersIn(text);
}

/** As texts where a number would lose digits. */
function numbersIn(text: string): (number | string)[] | undefined {
  const words = text.trim().split(/\s+/);
  if (words.some((word) => word === '' || !Number.isFinite(Number(word)))) return undefined;
  return words.map((word) =>
    Number.isInteger(Number(word)) && !Number.isSafeInteger(Number(word)) ? word : Number(word),
  );
}

/** In each rank: of a bound variable, those of the objects that the user chooses. */
async function instancesOf(
  job: JobClient,
  { name, class: itsClass }: Pvar,
): Promise<{ rank: number; world?: string; object?: string }[]> {
  const all = overlaysOf(await job.pvars([name])).flatMap(({ rank, world, pvars }) => {
    const pvar =
      pvars === undefined || isUnavailable(pvars)
        ? undefined
        : pvars.find((each) => each.name === name && each.class === itsClass);
    const instances = pvar?.instances.filter(({ objectFreed }) => objectFreed !== true) ?? [];
    return rank === null
      ? []
      : instances.map(({ object }) => ({ rank, ...(world === undefined ? {} : { world }), object }));
  });
  const labels = [...new Set(all.map(({ object }) => object?.name || object?.handle || ''))];
  const everything = l10n.t('all of them');
  const chosen =
    labels.length < 2
      ? everything
      : await vscode.window.showQuickPick([everything, ...labels.map(visible)], {
          title: l10n.t('MPI: {0} of', visible(name)),
        });
  return all
    .filter(({ object }) => chosen === everything || visible(object?.name || object?.handle || '') === chosen)
    .map(({ object, ...rank }) => ({ ...rank, ...(object === undefined ? {} : { object: object.handle }) }));
}

async function carryOut(job: JobClient, changes: readonly RankChange[]): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const options = { location: vscode.ProgressLocation.Window, title: titleOf(first.action, visible(first.name)) };
  const answers = await vscode.window.withProgress(options, () =>
    Promise.all(changes.map(async (change) => ({ change, answer: await job.setVariable(change) }))),
  );
  const merged = mergeEqual(
    answers.map(({ change: { rank, world }, answer }) => ({
      ...{
        rank: { rank, host: '', ...(world === undefined ? {} : { world }) },
        text: wordsOfAnswer(first.action, answer),
      },
    })),
  );
  const text = merged.map(({ ranks, text: words }) => `${wordsOfRanks(ranks)}: ${words}`).join('; ');
  const message = visible(`${first.name}: ${text}`);
  if (answers.every(({ answer }) => answer.done)) void vscode.window.showInformationMessage(message);
  else void vscode.window.showWarningMessage(message);
}
