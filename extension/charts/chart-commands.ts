/** Pins a variable to the charts: that of a row, or one that is chosen by its name. */
import * as vscode from 'vscode';
import { pvarClassWords } from '../../adapter/text/variables-text';
import { overlaysOf } from '../../adapter/text/overlay-ranks';
import type { Pvar } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import type { RegisterCommand } from '../views/row';
import { ChartsPanel } from './charts-panel';
import { chartedVariable, idOf } from './pvar-samples';

export function registerCharts(
  extensionPath: string,
  changes: JobChanges,
  command: RegisterCommand,
): vscode.Disposable {
  const charts = new ChartsPanel(extensionPath, changes);
  return vscode.Disposable.from(
    charts,
    command(rankCommands.chartVariable, (row) => {
      if (row?.pvar !== undefined) charts.pin(chartedVariable(row.pvar()));
    }),
    command(rankCommands.chartOneVariable, async () => {
      const pvar = await pickVariable();
      if (pvar !== undefined) charts.pin(chartedVariable(pvar));
    }),
  );
}

/** Of those that have a value in some rank. Throws Error if there is none. */
async function pickVariable(): Promise<Pvar | undefined> {
  const document = await JobClient.active()?.pvars();
  if (document === undefined) return undefined;
  const all = overlaysOf(document).flatMap(({ pvars }) => (pvars === undefined || isUnavailable(pvars) ? [] : pvars));
  const known = new Map(all.filter(({ instances }) => instances.length > 0).map((pvar) => [idOf(pvar), pvar]));
  if (known.size === 0) throw new Error('There are no performance variables: the view Performance Variables says why.');
  const items = [...known.values()].map((pvar) => ({
    ...{ label: visible(pvar.name), description: pvarClassWords[pvar.class], detail: visible(pvar.description), pvar },
  }));
  const options = { title: 'MPI: Chart a performance variable', matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.pvar;
}
