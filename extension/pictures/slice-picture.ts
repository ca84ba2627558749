/** An array's elements over ranks: a row for each rank, each element shaded from the smallest to the greatest of all. */
import * as l10n from '@vscode/l10n';
import type { ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import { compareNames, isRankText, namesIn } from '../ranks/rank-numbers';
import { nameOfRank } from '../ranks/rank-text';
import type { Look, Picture, Shape } from './picture';

const plot = { x: 70, y: 30, width: 480 };
const maxElements = 200;
const maxCell = { width: 40, height: 22 };
/** Pixels between two numbers of the axis. */
const minGap = 34;
const shades: readonly Look[] = ['shade 0', 'shade 1', 'shade 2', 'shade 3', 'shade 4', 'shade 5'];

/** Undefined: the values are no arrays of numbers. */
export function slicePicture({ expression, values }: ValueOverRanks): Picture | undefined {
  const rows = values
    .filter(({ ranks }) => isRankText(ranks))
    .flatMap(({ ranks, text }) => namesIn(ranks).map((rank) => ({ rank, ...elementsOf(text) })))
    .sort((a, b) => compareNames(a.rank, b.rank));
  const [first] = rows;
  if (first === undefined || rows.some(({ elements }) => elements === undefined)) return undefined;
  const known = rows.map(({ rank, elements = [] }) => ({ rank, elements: elements.slice(0, maxElements) }));
  const finite = known.flatMap(({ elements }) => elements).filter(Number.isFinite);
  const columns = Math.max(...known.map(({ elements }) => elements.length));
  if (columns < 2) return undefined;
  const [low, high] = finite.reduce(
    ([least, most], each) => [Math.min(least, each), Math.max(most, each)],
    [Infinity, -Infinity],
  );
  const lookOf = (value: number): Look => {
    if (!Number.isFinite(value)) return 'fault';
    const share = high === low ? 0 : (value - low) / (high - low);
    return shades[Math.min(shades.length - 1, Math.floor(share * shades.length))]!;
  };
  const width = Math.min(maxCell.width, plot.width / columns);
  const { height } = maxCell;
  const every = Math.ceil(minGap / width);
  const isCut = rows.some(({ elements = [], isCut: isPart }) => isPart || elements.length > maxElements);
  return {
    title: l10n.t('{0} over ranks', expression),
    lines: [
      finite.length === 0
        ? l10n.t('A row for each rank, a column for each element.')
        : l10n.t('A row for each rank, a column for each element: from {0} (pale) to {1} (full).', low, high),
      ...(finite.length < known.reduce((sum, { elements }) => sum + elements.length, 0)
        ? [l10n.t('Marked: what is not a finite number.')]
        : []),
      ...(isCut ? [l10n.t('The first {0} elements are drawn.', columns)] : []),
    ],
    width: plot.x + columns * width + 20,
    height: plot.y + known.length * height + 20,
    shapes: [
      ...Array.from({ length: Math.ceil(columns / every) }, (_, index): Shape => {
        const x = plot.x + (index * every + 0.5) * width;
        return { kind: 'text', x, y: plot.y - 10, text: String(index * every), anchor: 'middle' };
      }),
      ...known.flatMap(({ rank, elements }, row): Shape[] => {
        const y = plot.y + row * height;
        return [
          { kind: 'text', x: plot.x - 10, y: y + 16, text: nameOfRank(rank), anchor: 'end' },
          ...elements.map((value, column): Shape => {
            const place = { x: plot.x + column * width, y, width, height: height - 2, look: lookOf(value) };
            return { kind: 'box', ...place, hint: l10n.t('rank {0}, element {1}: {2}', rank, column, value) };
          }),
        ];
      }),
    ],
  };
}

const element = /^(-?(?:nan|inf(?:inity)?|[\d.]+(?:e[-+]?\d+)?))(?: <repeats (\d+) times>)?$/i;

/** As gdb writes an array, in C or in Fortran; the braces of several dimensions are left out. */
function elementsOf(text: string): { elements: number[] | undefined; isCut: boolean } {
  const isCut = /\.\.\.|…/.test(text);
  if (!/^[{(]/.test(text)) return { elements: undefined, isCut };
  const flat = text
    .replace(/\(0x[0-9a-f]+\)|\.\.\.|…/g, '')
    .replace(/[)}] *[({]/g, ',')
    .replace(/[{}()]/g, ' ');
  const parts = flat.split(',');
  const elements: number[] = [];
  for (const part of parts.map((each) => each.trim()).filter((each) => each !== '')) {
    const [, digits, count = '1'] = element.exec(part) ?? [];
    if (digits === undefined) return { elements: undefined, isCut };
    const value = /nan/i.test(digits) ? NaN : /inf/i.test(digits) ? Infinity : Number(digits);
    for (let index = 0; index < Number(count) && elements.length <= maxElements; index++) elements.push(value);
  }
  return { elements, isCut };
}
