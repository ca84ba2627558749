/** The commands that show pictures: of a row, of a variable, of who waits for whom. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { rankCommands } from '../manifest/contributions';
import { JobClient } from '../ranks/job-client';
import { byCounter, byPlace, byValue, type Coloring } from './coloring';
import { pictureOfVariable, type VariableMenuItem } from './handle-picture';
import { hangPicture } from './hang-picture';
import type { Picture } from './picture';

/** A row of a view, of something that can be drawn. */
interface Drawable {
  picture?: (coloring?: Coloring) => Picture;
}

/** Undefined: the user does not choose. */
type ChooseColoring = (job: JobClient) => Promise<Coloring | undefined>;

/** `tellingErrors`: shows what the adapter refuses. */
export function registerPictureCommands(
  show: (picture: Picture) => Promise<void>,
  tellingErrors: (run: () => unknown) => Promise<void>,
): vscode.Disposable {
  const showIf = async (picture: Picture | undefined): Promise<void> => {
    if (picture !== undefined) await show(picture);
  };
  const ofRow = (name: keyof typeof rankCommands, choose: ChooseColoring): vscode.Disposable =>
    vscode.commands.registerCommand(rankCommands[name], (row?: Drawable) =>
      tellingErrors(async () => {
        const job = JobClient.active();
        const coloring = job === undefined ? undefined : await choose(job);
        if (coloring !== undefined) await showIf(row?.picture?.(coloring));
      }),
    );
  return vscode.Disposable.from(
    ofRow('showPicture', async (job) => byPlace(await job.ranksWithPlaces())),
    ofRow('colorByValue', chooseValue),
    ofRow('colorByCounter', chooseCounter),
    vscode.commands.registerCommand(rankCommands.showVariablePicture, (item: VariableMenuItem = {}) =>
      tellingErrors(async () => showIf(await pictureOfVariable(item))),
    ),
    vscode.commands.registerCommand(rankCommands.showWaitGraph, () =>
      tellingErrors(async () => {
        const document = await JobClient.active()?.hang();
        await showIf(document && hangPicture(document));
      }),
    ),
  );
}

async function chooseValue(job: JobClient): Promise<Coloring | undefined> {
  const expression = await vscode.window.showInputBox({
    title: l10n.t('MPI: Color by'),
    placeHolder: l10n.t('an expression'),
  });
  if (!expression) return undefined;
  const { values, errors } = await job.value(expression);
  const [error] = errors;
  if (values.length === 0 && error !== undefined) throw new Error(error.text);
  return byValue(expression, values);
}

async function chooseCounter(job: JobClient): Promise<Coloring | undefined> {
  const document = await job.pvars();
  const names = variablesIn(document);
  if (names.length === 0) throw new Error(whyNone(document));
  const name = await vscode.window.showQuickPick(names, {
    title: l10n.t('MPI: Color by a performance variable'),
  });
  return name === undefined ? undefined : byCounter(name, document);
}

function variablesIn(document: OverlayDocument): string[] {
  const variables = overlaysOf(document).flatMap(({ pvars = [] }) => (isUnavailable(pvars) ? [] : pvars));
  return [...new Set(variables.filter(({ instances }) => instances.length > 0).map(({ name }) => name))].sort();
}

function whyNone(document: OverlayDocument): string {
  const reasons = overlaysOf(document).flatMap(({ pvars, collector }) =>
    isUnavailable(collector) ? [collector.reason] : isUnavailable(pvars) ? [pvars.reason] : [],
  );
  return reasons[0] ?? l10n.t('The MPI library of these ranks has no performance variables.');
}
