/** The Ranks view: the ranks that are at one place as one row, with a row for each below it; a click shows a rank of it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { groupedBy } from '../../plugin-api/grouped-by';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import { rankCommands } from '../manifest/contributions';
import type { JobClient, RankRow } from '../ranks/job-client';
import { nameInSet, namesIn } from '../ranks/rank-numbers';
import { doingInRow, doingOf, nameOf, processOf, tooltipOf } from '../ranks/rank-text';
import type { Row } from './row';

const icons: Record<RankRow['state'], string> = {
  starting: 'loading',
  running: 'debug-start',
  stopped: 'debug-pause',
  exited: 'circle-slash',
  lost: 'warning',
  core: 'file-binary',
  absent: 'debug-disconnect',
};

/** In a job of so many ranks every rank has its row at once. */
const maxOpen = 16;

/** What the rows of one job have in common. */
interface Shown {
  /** undefined: the focus is all ranks. */
  focused: ReadonlySet<string | undefined> | undefined;
  hasSeveralHosts: boolean;
  isSmall: boolean;
}

export async function rankRows(job: JobClient): Promise<Row[]> {
  const [ranks, focus] = await Promise.all([job.ranksWithPlaces(), job.focus()]);
  const shown: Shown = {
    focused: focus.all ? undefined : new Set(namesIn(focus.ranks)),
    hasSeveralHosts: new Set(ranks.map(({ host }) => host)).size > 1,
    isSmall: ranks.length <= maxOpen,
  };
  // Ranks of one row show the same, and are all in focus, or none.
  const groups = groupedBy(ranks, (rank) =>
    rank.rank === null ? processOf(rank) : withFocus(doingOf(rank), rank, shown),
  );
  return [...groups].map(([key, group]) => rowOf(key, group, shown));
}

function rowOf(key: string, group: readonly RankRow[], shown: Shown): Row {
  const [first, second] = group as [RankRow, RankRow?];
  if (second === undefined) return rankRow(first, shown, describeAlone(first, shown));
  const ranks = namesOfRanks(group).set.join();
  return {
    id: `at ${key}`,
    label: l10n.t('ranks {0}', ranks),
    description: withFocus(doingInRow(first), first, shown),
    tooltip: `${l10n.t('ranks {0}', ranks)}\n${tooltipOf(first).split('\n')[0] ?? ''}`,
    icon: iconOf(first, shown),
    ...commandsOn(ranks, first, rankCommands.showRow),
    children: group.map((rank) => rankRow(rank, shown, describeAmong(rank, shown))),
    isOpen: shown.isSmall,
  };
}

function rankRow(rank: RankRow, shown: Shown, description: string): Row {
  const name = nameInSet(rank);
  return {
    id: `${rank.rank ?? ''}/${rank.pid ?? rank.core ?? ''}`,
    label: nameOf(rank),
    description,
    tooltip: tooltipOf(rank),
    icon: iconOf(rank, shown),
    ...(name === undefined ? {} : commandsOn(name, rank, rankCommands.showRank)),
  };
}

function describeAlone(rank: RankRow, shown: Shown): string {
  return withFocus([doingInRow(rank), ...hostOf(rank, shown)].join(' · '), rank, shown);
}

/** The row above says what it does. */
function describeAmong(rank: RankRow, shown: Shown): string {
  return [...hostOf(rank, shown), processOf(rank)].join(' · ');
}

function withFocus(text: string, rank: RankRow, shown: Shown): string {
  return isInFocus(rank, shown) ? l10n.t('{0} · in focus', text) : text;
}

function hostOf({ host }: RankRow, { hasSeveralHosts }: Shown): string[] {
  return hasSeveralHosts ? [host] : [];
}

/** False while the focus is all ranks: then no rank needs to say so. */
function isInFocus(rank: RankRow, { focused }: Shown): boolean {
  return rank.rank !== null && focused !== undefined && focused.has(nameInSet(rank));
}

function iconOf(rank: RankRow, shown: Shown): vscode.ThemeIcon {
  const isFault = rank.signal !== undefined || (rank.stopReason ?? '').startsWith('SIG');
  // The icons of debugging have colours of their own: ranks outside the focus are grey.
  if (shown.focused !== undefined && !isInFocus(rank, shown))
    return new vscode.ThemeIcon(icons[rank.state], new vscode.ThemeColor('disabledForeground'));
  return isFault
    ? new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground'))
    : new vscode.ThemeIcon(icons[rank.state]);
}

function commandsOn(ranks: string, { state }: RankRow, click: string): Partial<Row> {
  const context = state === 'stopped' ? 'ranks stopped' : state === 'running' ? 'ranks running' : 'ranks';
  return { context, ranks, command: { command: click, title: l10n.t('Show'), arguments: [{ ranks }] } };
}
