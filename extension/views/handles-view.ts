/** The Handles view: what the focused ranks have of each kind; handles that are alike in several ranks are one row. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isRankText, nameInSet } from '../ranks/rank-numbers';
import { groupAlike, mergeAlike, type MergedText } from '../../plugin-api/answers/merge';
import { handleNotes } from '../../plugin-api/answers/text/handles-text';
import {
  describeAnswer,
  describeFields,
  handleKinds,
  typeNames,
  type DescribedField,
} from '../../plugin-api/mpi/describe';
import type { Answer, Document, HandleKind, RankAnswer, RankId } from '../../plugin-api/mpi/records';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import { pictureOf } from '../pictures/handle-picture';
import type { JobClient } from '../ranks/job-client';
import { wordsOfRanks } from '../ranks/rank-text';
import type { RowTarget } from '../ranks/row-target';
import { failureRows } from './failure-rows';
import type { Row } from './row';

type Found = Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;

interface Listed {
  rank: RankId;
  text: string;
  answer: Found;
}

export class Handles {
  /** Only rows whose text, or that of a field, has this in it. */
  filter = '';

  async rows(job: JobClient): Promise<Row[]> {
    const document = await job.handles();
    const { left, unlisted, silent } = handleNotes(document);
    const kinds = handleKinds.flatMap((kind) => this.kindRow(document, kind));
    // Beside the reasons why a rank lists none, "No handles" would say nothing.
    const isEmpty = kinds.length === 0 && (this.filter !== '' || (silent.length === 0 && left.length === 0));
    return [
      ...noteRows('left', left, 'warning'),
      ...kinds,
      ...(isEmpty ? [this.emptyRow()] : []),
      ...noteRows('unlisted', unlisted, 'info'),
      ...noteRows('silent', silent, 'info'),
      ...failureRows(document.ranks),
    ];
  }

  private emptyRow(): Row {
    const label = this.filter === '' ? l10n.t('No handles') : l10n.t('No handle has "{0}" in it', this.filter);
    return { id: 'none', label };
  }

  private kindRow({ ranks }: Document, kind: HandleKind): Row[] {
    const answered = ranks.filter((rank): rank is RankAnswer => 'answers' in rank);
    const found = answered.flatMap((rank) =>
      rank.answers.filter((answer) => answer.kind === kind).map((answer) => ({ rank, answer })),
    );
    const listed = found.flatMap(({ rank, answer }): Listed[] =>
      answer.code === 'MPIDBG_SUCCESS' && !isPredefined(answer) ? [{ rank, text: textOf(kind, answer), answer }] : [],
    );
    const children = groupAlike(listed)
      .map((group, index) => handleRow(kind, group, index))
      .filter((row) => this.has(row));
    if (children.length === 0) return [];
    const hidden = Math.max(
      0,
      ...answered.map((rank) => rank.answers.filter((each) => each.kind === kind && isPredefined(each)).length),
    );
    const count = children.length;
    const description = hidden === 0 ? String(count) : l10n.t('{0}, and {1} predefined', count, hidden);
    return [{ id: kind, label: typeNames[kind], description, isOpen: true, children }];
  }

  private has(row: Row): boolean {
    const wanted = this.filter.toLowerCase();
    return wanted === '' || textOfRow(row).toLowerCase().includes(wanted);
  }
}

function noteRows(id: string, notes: readonly MergedText[], icon: string): Row[] {
  return notes.map(({ text, ranks }, index) => ({
    ...{ id: `${id} ${index}`, label: text, description: wordsOfRanks(ranks), tooltip: visible(text) },
    icon: new vscode.ThemeIcon(icon),
  }));
}

/** The row and all below it, a line each: what is copied. */
export function textOfRow({ label, description, children = [] }: Row, indent = ''): string {
  const line = `${indent}${[label, description].filter((part) => part !== undefined && part !== '').join('  ')}`;
  return [line, ...children.map((child) => textOfRow(child, `${indent}  `))].join('\n');
}

function handleRow(kind: HandleKind, group: readonly Listed[], index: number): Row {
  const [first] = group as [Listed];
  const [merged] = mergeAlike(group);
  const { info } = first.answer;
  const ranks = merged?.ranks ?? '';
  const id = `${kind} ${index} ${ranks}`;
  const [name = ''] = first.text.split(' · ');
  const { rank, world } = first.rank;
  const of = nameInSet(first.rank);
  const title = of === undefined ? name : l10n.t('{0} (rank {1})', name, of);
  const answers: [Found, ...Found[]] = [first.answer, ...group.slice(1).map(({ answer }) => answer)];
  const picture = pictureOf(title, answers, { world });
  const context = kind === 'comm' ? 'handle comm' : 'handle';
  return {
    id,
    label: merged?.text ?? first.text,
    description: wordsOfRanks(ranks),
    tooltip: `${describeAnswer(first.answer)} (${ranks})`,
    icon: new vscode.ThemeIcon(icons[kind] ?? 'symbol-object'),
    ...toWhereMade(ranks, first.answer),
    ...(rank === null || !('handle' in info)
      ? {}
      : { handle: () => ({ rank, ...(world && { world }), kind, handle: info.handle }) }),
    ...(picture === undefined
      ? { context }
      : {
          context: `${context} picture`,
          picture: (coloring) => pictureOf(title, answers, { coloring, world }) ?? picture,
        }),
    children: describeFields(info)
      // Where it was made is what the record itself does not say: first.
      .toSorted((a, b) => Number(b.name === 'history') - Number(a.name === 'history'))
      .map((field, position) => fieldRow(field, `${id}/${position}`)),
  };
}

/** A click leads to the line where the program made it, as far as a collector has seen that. */
function toWhereMade(ranks: string, { info }: Found): Pick<Row, 'command'> {
  const code = 'history' in info ? info.history?.created?.code : undefined;
  if (code?.file === undefined || code.line === undefined || !isRankText(ranks)) return {};
  const target: RowTarget = { ranks, source: { file: code.file, line: code.line } };
  return {
    command: { command: rankCommands.showRow, title: l10n.t('Go to Where It Was Made'), arguments: [target] },
  };
}

/** A field of the row's first rank. */
function fieldRow({ name, text, children }: DescribedField, id: string): Row {
  return {
    id,
    label: name,
    description: text,
    children: children.map((child, position) => fieldRow(child, `${id}/${position}`)),
  };
}

/** The row above says of which kind it is. */
function textOf(kind: HandleKind, answer: Found): string {
  const title = `${typeNames[kind]} `;
  const text = describeAnswer(answer);
  return text.startsWith(title) ? text.slice(title.length).replace(/^· /, '') : text;
}

function isPredefined(answer: Answer): boolean {
  return (
    answer.code === 'MPIDBG_SUCCESS' && 'flags' in answer.info && (answer.info.flags as string[]).includes('predefined')
  );
}

const icons: Partial<Record<HandleKind, string>> = {
  comm: 'type-hierarchy',
  request: 'arrow-swap',
  datatype: 'symbol-structure',
  win: 'window',
  file: 'file',
  group: 'organization',
  op: 'symbol-operator',
  info: 'info',
  errhandler: 'shield',
};
