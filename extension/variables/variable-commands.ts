/** Registers the views of MPI_T's variables and events, and what can be done with them. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Pvar, VariableAction } from '../../plugin-api/overlays/records';
import { ChartsPanel } from '../charts/charts-panel';
import { pickVariable } from '../charts/pick-variable';
import { chartedVariable } from '../charts/pvar-samples';
import { HeatMapPanels } from '../heat-map/heat-map-panels';
import { rankCommands, views } from '../manifest/contributions';
import { showCommOfRank } from '../pictures/comm-of-rank';
import type { PicturePanels } from '../pictures/picture-panels';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { TimelinePanel } from '../timeline/timeline-panel';
import { eventRows } from '../views/events-view';
import { Performance } from '../views/performance-view';
import type { RegisterCommand, Row } from '../views/row';
import { showRows } from '../views/row-tree';
import { whileRunning } from '../views/while-running';
import { exportToFile } from './export';
import { changePvar, writeCvar } from './variable-actions';

export function registerVariables(
  extensionPath: string,
  changes: JobChanges,
  pictures: PicturePanels,
  command: RegisterCommand,
): vscode.Disposable {
  const performance = new Performance();
  const performanceView = showRows(views.performance, changes, (job) => performance.rows(job));
  const charts = new ChartsPanel(extensionPath, changes);
  const heatMaps = new HeatMapPanels(extensionPath, changes);
  const timeline = new TimelinePanel(extensionPath, pictures, changes);
  const ofPvar = (id: string, run: (pvar: Pvar) => unknown): vscode.Disposable =>
    command(id, (row) => (row?.pvar === undefined ? undefined : run(row.pvar())));
  const change = (id: string, action: VariableAction): vscode.Disposable =>
    ofPvar(id, async (pvar) => {
      await changePvar(pvar, action);
      changes.now();
    });
  return vscode.Disposable.from(
    ...[charts, heatMaps, timeline],
    whileRunning(performanceView),
    whileRunning(showRows(views.events, changes, eventRows)),
    ofPvar(rankCommands.chartVariable, (pvar) => charts.pin(chartedVariable(pvar))),
    ofPvar(rankCommands.showHeatMap, (pvar) => heatMaps.show(pvar)),
    command(rankCommands.chartOneVariable, async () => {
      const pvar = await pickVariable();
      if (pvar !== undefined) charts.pin(chartedVariable(pvar));
    }),
    command(rankCommands.showComm, (row) =>
      row?.comm === undefined ? undefined : showCommOfRank(JobClient.active(), pictures, row.comm),
    ),
    command(rankCommands.showTimeline, () => timeline.show()),
    command(rankCommands.exportToFile, exportToFile),
    change(rankCommands.startVariable, 'start'),
    change(rankCommands.stopVariable, 'stop'),
    change(rankCommands.resetVariable, 'reset'),
    command(rankCommands.writeVariable, async (row?: Row) => {
      if (row?.cvar !== undefined) await writeCvar(row.cvar());
      else if (row?.pvar !== undefined) await changePvar(row.pvar(), 'write');
      performanceView.reload();
    }),
    command(rankCommands.findVariables, async () => {
      const filter = await vscode.window.showInputBox({
        title: l10n.t('MPI: Variables with this text in their names'),
        placeHolder: l10n.t('a part of the name, * is any text; empty: all'),
        value: performance.filter,
      });
      if (filter === undefined) return;
      performance.filter = filter;
      performanceView.view.description = filter === '' ? undefined : `"${filter}"`;
      performanceView.reload();
    }),
  );
}
