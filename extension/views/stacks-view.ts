/** The Stacks over Ranks view: the stacks of all ranks of the focus as one tree, the ranks that are elsewhere first. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { StackNode } from '../../plugin-api/mpi/records';
import { rankCommands } from '../manifest/contributions';
import type { JobClient } from '../ranks/job-client';
import { inWorld } from '../../plugin-api/mpi/worlds';
import { isRankText, namesIn } from '../ranks/rank-numbers';
import type { RowTarget } from '../ranks/row-target';
import { failureRows } from './failure-rows';
import type { Row } from './row';

export async function stackRows(job: JobClient): Promise<Row[]> {
  const { outliers, tree, errors } = await job.stacks();
  return [
    ...outliers.map((text, i) => ({ id: `outlier ${i}`, label: text, icon: new vscode.ThemeIcon('lightbulb') })),
    ...tree.map((node) => rowOf(node, '', node.world)),
    ...failureRows(errors),
  ];
}

function rowOf({ frame, ranks: of, threads, children }: StackNode, parent: string, world: string | undefined): Row {
  const { name, source, line, openmp } = frame;
  const id = `${parent || (world ?? '')}/${name}:${line ?? ''}${openmp ?? ''}`;
  const at = source === undefined ? [] : [`${source.slice(source.lastIndexOf('/') + 1)}:${line ?? '?'}`];
  const ranks = inWorld(world, of);
  const isRankSet = isRankText(ranks);
  return {
    id,
    label: name === '??' ? l10n.t('function without a name') : name,
    // In a narrow view the end is cut.
    description: [
      `[${ranks}]`,
      ...at,
      ...(openmp === undefined ? [] : [openmp]),
      ...(threads > countOf(ranks) ? [l10n.t('{0} threads', threads)] : []),
    ].join(' · '),
    ...(isRankSet ? { context: 'ranks' as const, ranks } : {}),
    command: show({ ranks: isRankSet ? ranks : '', ...(source && line ? { source: { file: source, line } } : {}) }),
    children: children.map((child) => rowOf(child, id, world)),
    isOpen: true,
  };
}

/** 1 for a process whose rank is unknown. */
function countOf(ranks: string): number {
  return isRankText(ranks) ? namesIn(ranks).length : 1;
}

/** A click selects the first rank of the row, and opens its line. */
function show(target: RowTarget): vscode.Command {
  return { command: rankCommands.showRow, title: l10n.t('Show'), arguments: [target] };
}
