/** One expression's values over ranks, as bars: those that differ from most are marked. */
import * as l10n from '@vscode/l10n';
import type { ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import { compareNames, isRankText, namesIn, type RankName } from '../ranks/rank-numbers';
import type { Picture, Shape } from './picture';

const plot = { x: 90, y: 20, width: 450, height: 200 };
const maxBar = 48;
/** Pixels between two numbers below the bars. */
const minGap = 30;

interface Bar {
  rank: RankName;
  value: number;
  text: string;
}

/** Undefined: the values are no numbers. */
export function valuesPicture({ expression, values, nan, differ, errors }: ValueOverRanks): Picture | undefined {
  const bars = values
    .filter(({ ranks, text }) => isRankText(ranks) && text.trim() !== '' && Number.isFinite(Number(text)))
    .flatMap(({ ranks, text }) => namesIn(ranks).map((rank): Bar => ({ rank, value: Number(text), text })))
    .sort((a, b) => compareNames(a.rank, b.rank));
  if (bars.length === 0) return undefined;
  const { low, high } = rangeOf(bars.map(({ value }) => value));
  const at = (value: number): number => plot.y + ((high - value) / (high - low)) * plot.height;
  const base = at(Math.min(high, Math.max(low, 0)));
  const step = Math.min(maxBar, plot.width / bars.length);
  const different = new Set(differ === undefined || !isRankText(differ) ? [] : namesIn(differ));
  const every = Math.ceil(minGap / step);
  return {
    title: l10n.t('{0} over ranks', expression),
    lines: [
      ...(low > 0 || high < 0 ? [l10n.t('The axis does not begin at 0.')] : []),
      ...(differ === undefined ? [] : [l10n.t('Marked: ranks that differ from most ({0}).', differ)]),
      ...(nan === undefined ? [] : [l10n.t('Not a number in {0}.', nan)]),
      ...errors.map(({ ranks, text }) => `${ranks}: ${text}`),
    ],
    width: plot.x + plot.width + 20,
    height: plot.y + plot.height + 40,
    shapes: [
      ...[...new Set([low, high])].map((value): Shape => ({
        ...{
          kind: 'text',
          x: plot.x - 10,
          y: at(value) + 5,
          text: String(Number(value.toPrecision(6))),
          anchor: 'end',
        },
      })),
      ...bars.flatMap(({ rank, value, text }, index): Shape[] => {
        const x = plot.x + index * step;
        const y = at(value);
        const bar = { x, y: Math.min(y, base), width: Math.max(1, step - 1), height: Math.max(2, Math.abs(base - y)) };
        const look = different.has(rank) ? 'fault' : 'series 0';
        const target = { ranks: rank };
        const number = { kind: 'text', x: x + step / 2, y: plot.y + plot.height + 20, text: rank } as const;
        return [
          { kind: 'rank', ...bar, look, texts: [], hint: l10n.t('rank {0}: {1}', rank, text), target },
          ...(index % every === 0 ? [{ ...number, anchor: 'middle' as const }] : []),
        ];
      }),
    ],
  };
}

/** From 0, unless that would hide how the values differ. */
function rangeOf(values: readonly number[]): { low: number; high: number } {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const spread = max - min;
  if (spread === 0) return min === 0 ? { low: 0, high: 1 } : { low: Math.min(0, min), high: Math.max(0, max) };
  if (min > spread) return { low: min - spread / 10, high: max };
  if (max < -spread) return { low: min, high: max + spread / 10 };
  return { low: Math.min(0, min), high: Math.max(0, max) };
}
