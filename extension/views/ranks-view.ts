/** The Ranks view: each rank with its state and source location; a click focuses on it and shows it. */
import * as vscode from 'vscode';
import { rankCommands } from '../manifest/contributions';
import type { JobClient, RankRow } from '../ranks/job-client';
import { numbersOf } from '../ranks/selection';
import { describeRank } from './rank-text';
import type { Row } from './row-tree';

const icons: Record<RankRow['state'], string> = {
  starting: 'loading',
  running: 'debug-start',
  stopped: 'debug-pause',
  exited: 'circle-slash',
  lost: 'warning',
  core: 'file-binary',
};

export async function rankRows(job: JobClient): Promise<Row[]> {
  const [ranks, focus] = await Promise.all([job.ranksWithPlaces(), job.focus()]);
  const inFocus = new Set(numbersOf(focus.ranks));
  return ranks.map((rank) => {
    const { label, description, tooltip } = describeRank(rank);
    const isInFocus = rank.rank !== null && inFocus.has(rank.rank);
    // The icons of debugging have colours of their own: ranks outside the focus are grey.
    const color = isInFocus || focus.all ? undefined : new vscode.ThemeColor('disabledForeground');
    const name = rank.rank === null ? undefined : String(rank.rank);
    return {
      id: `${rank.rank ?? ''}/${rank.pid ?? rank.core ?? ''}`,
      label,
      description: isInFocus && !focus.all ? `in focus · ${description}` : description,
      tooltip,
      icon: new vscode.ThemeIcon(icons[rank.state], color),
      ...(name === undefined
        ? {}
        : {
            context: 'ranks' as const,
            ranks: name,
            command: { command: rankCommands.showRank, title: 'Show', arguments: [{ ranks: name }] },
          }),
    };
  });
}
