/** How the members of a communicator are coloured: by the place where each rank is, by a value, or by a counter of MPI_T. */
import * as l10n from '@vscode/l10n';
import { groupedBy } from '../../plugin-api/grouped-by';
import { isUnavailable } from '../../plugin-api/result';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import type { MergedText } from '../../plugin-api/answers/merge';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import type { RankRow } from '../ranks/job-client';
import { isRankText, nameInSet, namesIn, type RankName } from '../ranks/rank-numbers';
import { doingOf, wordsOfRanks } from '../ranks/rank-text';
import type { Look } from './picture';

/** The colours of one rank of the job. */
export interface Colored {
  look: Look;
  /** Below its numbers. */
  text?: string;
}

export interface Coloring {
  /** What the colors mean. */
  line: string;
  legend: readonly { look: Look; text: string }[];
  of: (rank: RankName) => Colored | undefined;
}

/** So many places, or texts, have a color of their own; all others share one. */
const series = ['series 0', 'series 1', 'series 2', 'series 3', 'series 4', 'series 5'] as const;
const shades = ['shade 0', 'shade 1', 'shade 2', 'shade 3', 'shade 4', 'shade 5'] as const;

/** Where each rank is, or what it does; the place of most ranks first. */
export function byPlace(ranks: readonly RankRow[]): Coloring {
  const known = ranks.flatMap((row) => {
    const rank = nameInSet(row);
    return rank === undefined ? [] : [{ rank, text: doingOf(row), row }];
  });
  const faults = new Set(known.filter(({ row }) => row.signal !== undefined || row.stopReason?.startsWith('SIG')));
  const groups = [...groupedBy(known, ({ text }) => text)].sort(([, a], [, b]) => b.length - a.length);
  let next = 0;
  const legend = groups.map(([text, of]) => {
    const isFault = of.some((each) => faults.has(each));
    const look: Look = isFault ? 'fault' : (series[next++] ?? 'plain');
    const ranksOf = namesOfRanks(of.map(({ row }) => row)).set.join();
    return { look, text: `${text}: ${wordsOfRanks(ranksOf)}`, of };
  });
  const looks = new Map(legend.flatMap(({ look, of }) => of.map(({ rank }) => [rank, { look }])));
  return { line: l10n.t('Colored by where each rank is.'), legend, of: (rank) => looks.get(rank) };
}

/** Numbers are shaded from the smallest to the greatest; each of other texts has a color. */
export function byValue(what: string, values: readonly MergedText[]): Coloring {
  const texts = new Map(
    values
      .filter(({ ranks }) => isRankText(ranks))
      .flatMap(({ ranks, text }) => namesIn(ranks).map((rank) => [rank, text] as const)),
  );
  const numbers = [...texts.values()].map(Number);
  const areNumbers = [...texts.values()].every((text) => text.trim() !== '' && Number.isFinite(Number(text)));
  return areNumbers && numbers.length > 0 ? byNumber(what, texts, numbers) : byText(what, texts);
}

/** The sum over the objects that the variable is bound to, of each rank. */
export function byCounter(name: string, document: OverlayDocument): Coloring {
  const sums = overlaysOf(document).flatMap(({ pvars, ...id }): MergedText[] => {
    const rank = nameInSet(id);
    if (rank === undefined || pvars === undefined || isUnavailable(pvars)) return [];
    const instances = pvars.filter((pvar) => pvar.name === name).flatMap((pvar) => pvar.instances);
    const known = instances.flatMap(({ values }) => (isUnavailable(values) ? [] : values.map(Number)));
    if (known.length === 0) return [];
    return [{ ranks: rank, text: String(known.reduce((sum, value) => sum + value, 0)) }];
  });
  return byValue(name, sums);
}

function byNumber(what: string, texts: ReadonlyMap<RankName, string>, numbers: readonly number[]): Coloring {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const shadeOf = (value: number): Look => {
    const share = high === low ? 0 : (value - low) / (high - low);
    return shades[Math.min(shades.length - 1, Math.floor(share * shades.length))]!;
  };
  return {
    line: l10n.t('Colored by {0}.', what),
    legend:
      high === low
        ? [{ look: shadeOf(low), text: l10n.t('{0} in all', short(low)) }]
        : [
            { look: shades[0], text: short(low) },
            { look: shades.at(-1)!, text: short(high) },
          ],
    of: (rank) => {
      const text = texts.get(rank);
      return text === undefined ? undefined : { look: shadeOf(Number(text)), text: short(Number(text)) };
    },
  };
}

function byText(what: string, texts: ReadonlyMap<RankName, string>): Coloring {
  const looks = new Map<string, Look>(
    [...new Set(texts.values())].map((text, index) => [text, series[index] ?? 'plain']),
  );
  return {
    line: texts.size === 0 ? l10n.t('{0} has no value in these ranks.', what) : l10n.t('Colored by {0}.', what),
    legend: [...looks].map(([text, look]) => ({ look, text })),
    of: (rank) => {
      const text = texts.get(rank);
      return text === undefined ? undefined : { look: looks.get(text) ?? 'plain' };
    },
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
