/** The page of a heat map: a table, whose cells have the colors of their values. */
import './kit/translation';
import * as l10n from '@vscode/l10n';
import type { FromHeatMap, HeatMap } from '../heat-map/heat-map';
import { button, choice, element } from './kit/elements';
import { connect } from './kit/extension-host';
import './kit/kit.css';
import './heat-map.css';

let shape = '';
let cells: HTMLTableCellElement[][] = [];

const post = connect<HeatMap, FromHeatMap>((map) => {
  const { title, column, objects, object, rows } = map;
  const newShape = JSON.stringify([
    title,
    column,
    objects,
    object,
    rows.map(({ rank, values }) => [rank, values.length]),
  ]);
  // A table that is made anew would take the focus and the place of a screen reader away.
  if (newShape !== shape) build(map);
  shape = newShape;
  color(map);
});

function build({ title, description, column, objects, object, rows, omitted }: HeatMap): void {
  const columns = Math.max(0, ...rows.map(({ values }) => values.length));
  const options = objects.map((name) => ({ value: name, text: name }));
  const chosen = choice(l10n.t('{0}: of', title), options, object, (name) => post({ kind: 'object', object: name }));
  cells = rows.map(({ values }) => values.map(() => element('td')));
  const table = element(
    'table',
    columns > 24 ? { class: 'dense' } : {},
    element(
      'caption',
      { class: 'for-screen-readers' },
      column === 'peer'
        ? l10n.t('{0}: one row for each rank, one column for each peer', title)
        : l10n.t('{0}: one row for each rank, one column for each element', title),
    ),
    element(
      'tr',
      {},
      element('th', { scope: 'col' }, column === 'peer' ? l10n.t('rank \\ peer') : l10n.t('rank \\ element')),
      ...Array.from({ length: columns }, (_, i) => element('th', { scope: 'col' }, String(i))),
    ),
    ...rows.map(({ rank }, i) =>
      element(
        'tr',
        {},
        element(
          'th',
          { scope: 'row' },
          button(l10n.t('rank {0}', rank), () => post({ kind: 'rank', rank })),
        ),
        ...(cells[i] ?? []),
      ),
    ),
  );
  document.body.replaceChildren(
    element('h1', {}, title),
    element('p', { class: 'quiet' }, description),
    ...(object === '' ? [] : [element('div', { class: 'tools' }, chosen)]),
    ...omittedWords(omitted, column).map((words) => element('p', {}, words)),
    element('div', { class: 'table' }, table),
  );
}

function omittedWords({ ranks, columns }: HeatMap['omitted'], column: HeatMap['column']): string[] {
  if (ranks === 0 && columns === 0) return [];
  const moreRanks = ranks === 1 ? l10n.t('1 more rank') : l10n.t('{0} more ranks', ranks);
  const moreColumns = column === 'peer' ? morePeers(columns) : moreElements(columns);
  if (columns === 0) return [l10n.t('Not shown: {0}.', moreRanks)];
  return [
    ranks === 0 ? l10n.t('Not shown: {0}.', moreColumns) : l10n.t('Not shown: {0} and {1}.', moreRanks, moreColumns),
  ];
}

function morePeers(count: number): string {
  return count === 1 ? l10n.t('1 more peer') : l10n.t('{0} more peers', count);
}

function moreElements(count: number): string {
  return count === 1 ? l10n.t('1 more element') : l10n.t('{0} more elements', count);
}

/** The greatest value has the full color. */
function color({ rows }: HeatMap): void {
  const greatest = Math.max(1, ...rows.flatMap(({ values }) => values));
  rows.forEach(({ values }, i) =>
    values.forEach((value, j) => {
      const cell = cells[i]?.[j];
      if (cell === undefined) return;
      if (cell.textContent !== String(value)) cell.textContent = String(value);
      paint(cell, value, greatest);
    }),
  );
}

function paint(cell: HTMLTableCellElement, value: number, greatest: number): void {
  const share = Math.max(0, value) / greatest;
  cell.className = value === 0 ? 'quiet' : '';
  cell.style.backgroundColor =
    value === 0 ? '' : `color-mix(in srgb, var(--vscode-charts-red) ${Math.round(10 + 55 * share)}%, transparent)`;
}
