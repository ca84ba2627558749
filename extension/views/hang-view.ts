/** The view that says why the job does not go on: the verdict, what it rests on, and where each rank is; a click shows the rank and its line. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HangDocument, WaitingPosition } from '../../plugin-api/hang/hang-records';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { nameOfId, nameOfRank } from '../ranks/rank-text';
import type { RowTarget } from '../ranks/row-target';
import { wordOfPosition } from '../ranks/state-words';
import type { Row } from './row';

export async function hangRows(job: JobClient): Promise<Row[]> {
  const document = await job.hang();
  return [verdictRow(document), ranksRow(document)];
}

function verdictRow(document: HangDocument): Row {
  const { verdict, type, sentence, culprits, evidence } = document;
  const positions = positionsOf(document);
  return {
    id: 'verdict',
    label: titleOf(verdict, type),
    description: sentence,
    tooltip: visible(sentence),
    icon: new vscode.ThemeIcon({ deadlock: 'error', progress: 'pass', unknown: 'question' }[verdict]),
    isOpen: true,
    children: evidence.map(({ rank, fact }, index) => ({
      id: `evidence ${index}`,
      label: nameOfRank(rank),
      description: fact,
      tooltip: visible(`${nameOfRank(rank)} ${fact}`),
      ...(culprits.includes(rank)
        ? { icon: new vscode.ThemeIcon('error'), iconText: l10n.t('a rank to look at') }
        : { icon: new vscode.ThemeIcon('info') }),
      ...focusable(rank),
      ...placed(positions.find((position) => position.rank === rank && position.thread === 1)),
    })),
  };
}

function titleOf(verdict: HangDocument['verdict'], type: HangDocument['type']): string {
  if (verdict === 'deadlock') return l10n.t('Deadlock: {0}', String(type));
  return verdict === 'progress' ? l10n.t('No deadlock') : l10n.t('Unknown');
}

function ranksRow(document: HangDocument): Row {
  return {
    id: 'ranks',
    label: l10n.t('Where each rank is'),
    isOpen: document.ranks.length <= 16,
    children: document.ranks.map((rank, index) => {
      const label = nameOfId(rank);
      if ('error' in rank) return { id: `rank ${index}`, label, description: rank.error.reason };
      const name = rank.thread === 1 ? label : l10n.t('{0}, thread {1}', label, rank.thread);
      return { id: `rank ${index}`, label: name, description: doing(rank), ...focusable(rank.rank), ...placed(rank) };
    }),
  };
}

function positionsOf({ ranks }: HangDocument): WaitingPosition[] {
  return ranks.filter((rank): rank is WaitingPosition => !('error' in rank));
}

function doing({ state, call, where, waitsFor = [], mode }: WaitingPosition): string {
  const what = call ?? (state === 'running' ? l10n.t('in its own code') : wordOfPosition(state));
  const others = waitsFor.join(', ');
  if (others === '') return where === undefined ? what : l10n.t('{0} at {1}', what, where);
  if (where === undefined)
    return mode === 'OR'
      ? l10n.t('{0}, waits for one of {1}', what, others)
      : l10n.t('{0}, waits for {1}', what, others);
  return mode === 'OR'
    ? l10n.t('{0} at {1}, waits for one of {2}', what, where, others)
    : l10n.t('{0} at {1}, waits for {2}', what, where, others);
}

function focusable(rank: number | null): Pick<Row, 'context' | 'ranks'> {
  return rank === null ? {} : { context: 'ranks', ranks: String(rank) };
}

function placed(position: WaitingPosition | undefined): Pick<Row, 'command'> {
  if (position === undefined || position.rank === null) return {};
  const { file, line } = position.code ?? {};
  const source = file === undefined || line === undefined ? {} : { source: { file, line } };
  const target: RowTarget = { ranks: String(position.rank), ...source };
  return { command: { command: rankCommands.showRow, title: l10n.t('Show'), arguments: [target] } };
}
