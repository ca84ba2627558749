/** The view that says why the job does not go on: the verdict, what it rests on, and where each rank is; a click shows the rank and its line. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCulpritOf } from '../../plugin-api/hang/culprits';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import { nameInSet } from '../ranks/rank-numbers';
import { formatRankSet, rankSetOf } from '../../plugin-api/answers/rank-set';
import { groupedBy } from '../../plugin-api/grouped-by';
import { forCount } from '../../plugin-api/hang/for-count';
import type { HangDocument, WaitingPosition } from '../../plugin-api/hang/hang-records';
import type { RankError, RankId } from '../../plugin-api/mpi/records';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands, views } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import type { JobClient } from '../ranks/job-client';
import { canLookAgain } from '../ranks/look-again';
import { nameOfId, wordsOfRanks } from '../ranks/rank-text';
import type { RowTarget } from '../ranks/row-target';
import { titleOfVerdict, wordOfPosition } from '../ranks/state-words';
import { argumentDifferences } from './argument-differences';
import type { Row } from './row';
import { showRows } from './row-tree';

/** The sentence stands above the rows, where it is wrapped. */
export function showHang(changes: JobChanges): vscode.Disposable {
  let asked: Promise<HangDocument> | undefined;
  // They come after the rest, which is not to wait for them.
  let differing: readonly Row[] = [];
  const moved = changes.onDidChange(() => {
    asked = undefined;
    differing = [];
  });
  const rows = showRows(views.hang, changes, async (job) => {
    // What is known stays while another frame is selected.
    if (asked === undefined) rows.view.message = undefined;
    const document = await (asked ??= job.hang());
    if (document.ranks.length > 0 && document.ranks.every(isRunning)) return [runningRow()];
    rows.view.message = visible(document.sentence);
    const [verdict, places] = hangRows(document);
    const again = canLookAgain(document) ? [lookAgainRow()] : [];
    void compare(job, document);
    return [...again, ...differing, verdict, places];
  });
  let compared = '';
  const compare = async (job: JobClient, document: HangDocument): Promise<void> => {
    const found = await argumentDifferences(job, document);
    const text = JSON.stringify(found);
    if (text === compared && differing.length === found.length) return;
    compared = text;
    differing = found;
    await rows.refresh();
  };
  // What differs is of the frame that is selected.
  const selected = vscode.debug.onDidChangeActiveStackItem(() => void rows.refresh());
  return vscode.Disposable.from(moved, selected, rows);
}

const isRunning = (rank: HangDocument['ranks'][number]): boolean =>
  'error' in rank && rank.error.code === 'MPIDBG_ERR_UNAVAILABLE';

function runningRow(): Row {
  return { id: 'running', label: l10n.t('The ranks run. Pause them to see where they wait.') };
}

function lookAgainRow(): Row {
  return {
    id: 'again',
    label: l10n.t('Look Again'),
    description: l10n.t('the ranks run for a second, then it is known'),
    icon: new vscode.ThemeIcon('debug-rerun'),
    command: { command: rankCommands.lookAgain, title: l10n.t('Look Again') },
  };
}

export function hangRows(document: HangDocument): [verdict: Row, places: Row] {
  return [verdictRow(document), ranksRow(document)];
}

/** What each rank has to do with it, the ranks to look at first: one row for those of which the same is true. */
function verdictRow(document: HangDocument): Row {
  const { verdict, sentence, evidence } = document;
  const factsOf = groupedBy(evidence, nameInSet);
  const told = [...factsOf.values()].map((of) => ({ ...of[0]!, facts: of.map(({ fact }) => fact) }));
  const isCulprit = isCulpritOf(document);
  const groups = groupedBy(
    [...told.filter(isCulprit), ...told.filter((each) => !isCulprit(each))],
    (each) => `${isCulprit(each)} ${each.facts.join('\n')}`,
  );
  const positions = positionsOf(document);
  return {
    id: 'verdict',
    label: titleOfVerdict(document),
    tooltip: visible(sentence),
    icon: new vscode.ThemeIcon({ deadlock: 'error', progress: 'pass', unknown: 'question' }[verdict]),
    isOpen: true,
    children: [...groups].map(([id, of]): Row => {
      const [first] = of as [(typeof of)[0]];
      const [fact = '', ...others] = first.facts.map((each) => forCount(each, of.length));
      const label = labelOf(of);
      const look: Partial<Row> = {
        ...focusable(of),
        ...placed(positions.find((each) => nameInSet(each) === nameInSet(first) && each.thread === 1)),
      };
      return {
        id: `evidence ${id}`,
        label,
        description: others.length === 0 ? fact : l10n.t('{0} · {1} more', fact, others.length),
        tooltip: visible(`${label} ${fact}`),
        ...(isCulprit(first)
          ? { icon: new vscode.ThemeIcon('error'), iconText: l10n.t('a rank to look at') }
          : { icon: new vscode.ThemeIcon('info') }),
        ...look,
        children: others.map((text, index) => ({ id: `${id} ${index}`, label: text, tooltip: visible(text), ...look })),
      };
    }),
  };
}

function ranksRow(document: HangDocument): Row {
  const unread = document.ranks.filter((rank): rank is RankError => 'error' in rank);
  const groups = groupedBy(positionsOf(document), (position) => `${isFirst(position)} ${doing(position, 1)}`);
  return {
    id: 'ranks',
    label: l10n.t('Where each rank is'),
    isOpen: groups.size <= maxOpen,
    children: [
      ...[...groups].map(([id, of]): Row => {
        const [first] = of as [WaitingPosition];
        const label = of.every(({ rank }) => rank === null) ? nameOfId(first) : labelOf(of);
        const name = isFirst(first) ? label : l10n.t('{0}, thread {1}', label, first.thread);
        const description = doing(first, of.length);
        return {
          id: `at ${id}`,
          label: name,
          description,
          tooltip: visible(`${name} ${description}`),
          ...focusable(of),
          ...placed(first),
        };
      }),
      ...unread.map((rank, index): Row => ({
        ...{ id: `unread ${index}`, label: nameOfId(rank), description: rank.error.reason },
      })),
    ],
  };
}

/** Rows of places that are open at once. */
const maxOpen = 16;

const isFirst = ({ thread }: WaitingPosition): boolean => thread === 1;

type NamedRank = Pick<RankId, 'rank' | 'world'>;

function labelOf(ranks: readonly NamedRank[]): string {
  return wordsOfRanks(namesOfRanks(ranks).set.join());
}

function positionsOf({ ranks }: HangDocument): WaitingPosition[] {
  return ranks.filter((rank): rank is WaitingPosition => !('error' in rank));
}

function doing(position: WaitingPosition, count: number): string {
  const { state, call, library, where, waitsFor = [], waitsForRanks, mode, waitsIn } = position;
  const own = waitsIn === undefined ? l10n.t('in its own code') : l10n.t('waits in {0}', waitsIn.call);
  const inCall = call !== undefined && library !== undefined ? l10n.t('{0}, inside {1}', library.function, call) : call;
  const what = inCall ?? (state === 'running' ? own : wordOfPosition(state));
  const at = where === undefined ? what : l10n.t('{0} at {1}', what, where);
  const others =
    waitsForRanks === undefined ? formatRankSet(rankSetOf(waitsFor)) : namesOfRanks(waitsForRanks).set.join();
  if (others === '') return at;
  if (count === 1)
    return mode === 'OR' ? l10n.t('{0}, waits for one of {1}', at, others) : l10n.t('{0}, waits for {1}', at, others);
  return mode === 'OR' ? l10n.t('{0}, wait for one of {1}', at, others) : l10n.t('{0}, wait for {1}', at, others);
}

function focusable(of: readonly NamedRank[]): Pick<Row, 'context' | 'ranks'> {
  const ranks = namesOfRanks(of).set.join();
  return ranks === '' ? {} : { context: 'ranks', ranks };
}

function placed(position: WaitingPosition | undefined): Pick<Row, 'command'> {
  const ranks = position && nameInSet(position);
  if (position === undefined || ranks === undefined) return {};
  const { file, line } = position.code ?? {};
  const source = file === undefined || line === undefined ? {} : { source: { file, line } };
  const target: RowTarget = { ranks, ...source };
  return { command: { command: rankCommands.showRow, title: l10n.t('Show'), arguments: [target] } };
}
