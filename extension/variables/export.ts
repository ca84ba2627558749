/** Writes what the collector tells to a file that the user chooses: as the command line does with --csv and --trace. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callRows, callsHeading } from '../../plugin-api/answers/csv/calls-csv';
import { eventRows, eventsHeading } from '../../plugin-api/answers/csv/events-csv';
import { omptHeading, omptRows } from '../../plugin-api/answers/csv/ompt-csv';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import { traceOf } from '../../plugin-api/answers/trace/trace-events';
import { csvHeading, csvRows } from '../../plugin-api/answers/csv/variables-csv';
import type { OverlayPart } from '../../plugin-api/overlays/read-overlay';
import type { OverlayDocument, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { JobClient } from '../ranks/job-client';
import { namesIn } from '../ranks/rank-numbers';

interface Format {
  label: () => string;
  file: string;
  parts: readonly OverlayPart[];
  textOf: (document: OverlayDocument) => string;
}

const csv = (part: OverlayPart, label: () => string, textOf: Format['textOf']): Format => ({
  ...{ label, file: `${part}.csv`, parts: [part], textOf },
});

const formats: readonly Format[] = [
  csv(
    'pvars',
    () => l10n.t('Performance variables as CSV'),
    (document) => csvHeading + linesOf(document, 'pvars'),
  ),
  csv(
    'cvars',
    () => l10n.t('Control variables as CSV'),
    (document) => csvHeading + linesOf(document, 'cvars'),
  ),
  csv(
    'events',
    () => l10n.t('Events as CSV'),
    (document) => eventsHeading + eventRows(document),
  ),
  csv(
    'calls',
    () => l10n.t('MPI calls as CSV'),
    (document) => callsHeading + callRows(document),
  ),
  csv(
    'ompt',
    () => l10n.t('OpenMP as CSV'),
    (document) => omptHeading + omptRows(document),
  ),
  {
    ...{ label: () => l10n.t('Calls, events and OpenMP as a trace for Perfetto'), file: 'trace.json' },
    ...{ parts: ['calls', 'events', 'ompt'], textOf: (document) => `${JSON.stringify(traceOf(document))}\n` },
  },
];

function linesOf(document: OverlayDocument, part: 'pvars' | 'cvars'): string {
  return csvRows(document, part)
    .map(({ line }) => line)
    .join('');
}

/** All that the rings hold. */
const all = 1_000_000;

export async function exportToFile(): Promise<void> {
  const job = JobClient.active();
  const items = formats.map((format) => ({ ...format, label: format.label() }));
  const format = await vscode.window.showQuickPick(items, {
    title: l10n.t('MPI: Export of the ranks of the focus'),
  });
  if (job === undefined || format === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = await vscode.window.showSaveDialog(
    folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, format.file) },
  );
  if (file === undefined) return;
  const options = { location: vscode.ProgressLocation.Notification, title: `MPI: ${format.label}` };
  const document = await vscode.window.withProgress(options, () => read(job, format.parts));
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(format.textOf(document)));
  void vscode.window.showInformationMessage(
    l10n.t('{0}: written to {1}.', format.label, vscode.workspace.asRelativePath(file)),
  );
}

/** Rank after rank, so that no answer is too long. Throws Error, which says why there is nothing. */
async function read(job: JobClient, parts: readonly OverlayPart[]): Promise<OverlayDocument> {
  const ranks: OverlayDocument['ranks'] = [];
  for (const rank of namesIn((await job.focus()).ranks)) {
    let joined: RankOverlay | undefined;
    for (const part of parts) {
      const document = await job.overlay(part, { ranks: rank, last: all });
      const [overlay] = overlaysOf(document);
      if (overlay === undefined) ranks.push(...document.ranks);
      else joined = { ...joined, ...overlay };
    }
    if (joined !== undefined) ranks.push(joined);
  }
  const document: OverlayDocument = { schema: 'mpidbg/1', target: 'live', ranks };
  const reasons = overlaysOf(document).flatMap((rank) => reasonsOf(rank, parts));
  const isEmpty = overlaysOf(document).every((rank) => reasonsOf(rank, parts).length === parts.length);
  if (isEmpty) throw new Error(l10n.t('Nothing to export: {0}.', reasons[0] ?? l10n.t('no rank could be read')));
  return document;
}

function reasonsOf(rank: RankOverlay, parts: readonly OverlayPart[]): string[] {
  return parts.flatMap((part) => {
    const told = rank[part];
    return told !== undefined && isUnavailable(told) ? [told.reason] : [];
  });
}
