/** The lines of a chart: what they are called, their values and how they look. */
import * as l10n from '@vscode/l10n';
import type { ChartHistory, Quantity } from '../charts/chart-history';
import type { LineValues } from '../charts/line-values';
import type { RankBand } from '../charts/rank-band';
import type { RankName } from '../ranks/rank-numbers';
import { seriesColor, seriesCount, themeColor } from './kit/theme';

/** More ranks are drawn as a band: as many colors as there are, each plain and dashed. */
export const maxLines = 2 * seriesCount;

export interface Line extends LineValues {
  label: string;
  color: () => string;
  dash?: number[];
  /** True for an edge of the band. */
  isEdge?: boolean;
}

const dash = [6, 4];

export function rankSeries(
  ranks: readonly RankName[],
  history: ChartHistory,
  object: string,
  quantity: Quantity,
): Line[] {
  return ranks.map((rank, index) => ({
    ...{
      label: l10n.t('rank {0}', rank),
      values: history.valuesOf(object, rank, quantity),
      color: () => seriesColor(index),
    },
    ...(quantity === 'rate' ? { totals: history.valuesOf(object, rank, 'total') } : {}),
    ...(index >= seriesCount ? { dash } : {}),
  }));
}

/** The lower edge first, the upper one third. */
export function bandSeries(band: RankBand, history: ChartHistory, object: string, quantity: Quantity): Line[] {
  const edge = { color: () => seriesColor(0), isEdge: true };
  return [
    { label: l10n.t('least'), values: band.min, ...edge },
    { label: l10n.t('median'), values: band.median, color: () => themeColor('foreground') },
    { label: l10n.t('greatest'), values: band.max, ...edge },
    ...band.outliers().map((rank, index) => ({
      ...{ label: l10n.t('rank {0}', rank), values: history.valuesOf(object, rank, quantity) },
      color: () => seriesColor(index + 1),
    })),
  ];
}
