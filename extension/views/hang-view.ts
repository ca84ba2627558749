/** The view that says why the job does not go on: the verdict, what it rests on, and where each rank is; a click shows the rank and its line. */
import * as vscode from 'vscode';
import type { HangDocument, WaitingPosition } from '../../plugin-api/hang/hang-records';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import type { RowTarget } from '../ranks/row-target';
import type { Row } from './row';

export async function hangRows(job: JobClient): Promise<Row[]> {
  const document = await job.hang();
  return [verdictRow(document), ranksRow(document)];
}

function verdictRow(document: HangDocument): Row {
  const { verdict, type, sentence, culprits, evidence } = document;
  const title = { deadlock: `Deadlock: ${type}`, progress: 'No deadlock', unknown: 'Unknown' }[verdict];
  const positions = positionsOf(document);
  return {
    id: 'verdict',
    label: title,
    description: sentence,
    tooltip: visible(sentence),
    icon: new vscode.ThemeIcon({ deadlock: 'error', progress: 'pass', unknown: 'question' }[verdict]),
    isOpen: true,
    children: evidence.map(({ rank, fact }, index) => ({
      id: `evidence ${index}`,
      label: `rank ${rank}`,
      description: fact,
      tooltip: visible(`rank ${rank} ${fact}`),
      ...(culprits.includes(rank)
        ? { icon: new vscode.ThemeIcon('error'), iconText: 'a rank to look at' }
        : { icon: new vscode.ThemeIcon('info') }),
      ...focusable(rank),
      ...placed(positions.find((position) => position.rank === rank && position.thread === 1)),
    })),
  };
}

function ranksRow(document: HangDocument): Row {
  return {
    id: 'ranks',
    label: 'Where each rank is',
    isOpen: document.ranks.length <= 16,
    children: document.ranks.map((rank, index) => {
      const label = rank.rank === null ? `pid ${rank.pid ?? '?'}` : `rank ${rank.rank}`;
      if ('error' in rank) return { id: `rank ${index}`, label, description: rank.error.reason };
      const name = rank.thread === 1 ? label : `${label}, thread ${rank.thread}`;
      return { id: `rank ${index}`, label: name, description: doing(rank), ...focusable(rank.rank), ...placed(rank) };
    }),
  };
}

function positionsOf({ ranks }: HangDocument): WaitingPosition[] {
  return ranks.filter((rank): rank is WaitingPosition => !('error' in rank));
}

function doing({ state, call, where, waitsFor = [], mode }: WaitingPosition): string {
  const at = where === undefined ? '' : ` at ${where}`;
  const others = waitsFor.length === 0 ? '' : `, waits for ${mode === 'OR' ? 'one of ' : ''}${waitsFor.join(', ')}`;
  return `${call ?? (state === 'running' ? 'in its own code' : state)}${at}${others}`;
}

function focusable(rank: number | null): Pick<Row, 'context' | 'ranks'> {
  return rank === null ? {} : { context: 'ranks', ranks: String(rank) };
}

function placed(position: WaitingPosition | undefined): Pick<Row, 'command'> {
  if (position === undefined || position.rank === null) return {};
  const { file, line } = position.code ?? {};
  const source = file === undefined || line === undefined ? {} : { source: { file, line } };
  const target: RowTarget = { ranks: String(position.rank), ...source };
  return { command: { command: rankCommands.showRow, title: 'Show', arguments: [target] } };
}
