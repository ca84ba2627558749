/** The members of a communicator: as the grid or the graph of its topology, else in the order of their ranks. */
import * as l10n from '@vscode/l10n';
import type { CommInfo } from '../../plugin-api/mpi/records';
import { inWorld } from '../../plugin-api/mpi/worlds';
import { isUnavailable } from '../../plugin-api/result';
import { nameOfRank } from '../ranks/rank-text';
import type { Coloring } from './coloring';
import { coordsOf, layoutOf, type Layout } from './comm-layout';
import { edge } from './circle';
import type { Picture, Point, Shape } from './picture';

const cell = { width: 86, height: 42, gap: 7 };
/** The height of a third line in a cell. */
const lineHeight = 18;
const margin = 10;
const legendLine = 22;
const maxMembers = 1024;
const maxLegend = 12;

export interface CommPictureOptions {
  coloring?: Coloring | undefined;
  /** Whose rank knows the communicator so: its members' ranks are of this one. See RankId. */
  world?: string | undefined;
}

/**
 * Undefined: its members are unknown. `infos`: of the same communicator in several ranks, as each knows its own neighbours
 * alone; the first one's rank is marked while nothing is colored.
 */
export function commPicture(
  name: string,
  infos: readonly [CommInfo, ...CommInfo[]],
  { coloring, world }: CommPictureOptions = {},
): Picture | undefined {
  const [{ localProcs, rank: commRankOfFirst }] = infos;
  if (isUnavailable(localProcs) || localProcs.length === 0) return undefined;
  const own = isUnavailable(commRankOfFirst) ? undefined : commRankOfFirst;
  const members = localProcs.slice(0, maxMembers);
  const names = members.map((worldRank) => (worldRank === null ? undefined : inWorld(world, String(worldRank))));
  const colors = names.map((rank) => (rank === undefined ? undefined : coloring?.of(rank)));
  const hasText = colors.some((color) => color?.text !== undefined);
  const size = { ...cell, height: cell.height + (hasText ? lineHeight : 0) };
  const layout = layoutOf(infos, members.length, size);
  const at = layout.places.map(({ x, y }) => ({ x: x + margin, y: y + margin }));
  const cells = names.map((rank, commRank): Shape => {
    const { look, text } = colors[commRank] ?? {};
    const coords = layout.dims === undefined ? undefined : coordsOf(commRank, layout.dims);
    const texts = [
      `${commRank}${coords === undefined ? '' : ` (${coords.join(',')})`}`,
      rank === undefined ? l10n.t('another world') : nameOfRank(rank),
      ...(text === undefined ? [] : [text]),
    ];
    const place = { ...at[commRank]!, width: size.width, height: size.height, texts };
    const plain = coloring === undefined && commRank === own ? 'own' : 'plain';
    return rank === undefined
      ? { kind: 'box', ...place, look: plain }
      : { kind: 'rank', ...place, look: look ?? plain, target: { ranks: rank } };
  });
  const bottom = Math.max(...at.map(({ y }) => y)) + size.height + margin;
  const legend = coloring?.legend.slice(0, maxLegend) ?? [];
  return {
    title: titles[layout.form](name),
    lines: [
      countLine(localProcs.length),
      ...layout.lines,
      ...(coloring === undefined ? [] : [coloring.line]),
      ...(localProcs.length > maxMembers ? [l10n.t('The first {0} are drawn.', maxMembers)] : []),
    ],
    width: Math.max(...at.map(({ x }) => x + size.width), legend.length === 0 ? 0 : 420) + margin,
    height: bottom + legend.length * legendLine,
    shapes: [...arrowsOf(layout, at, size), ...cells, ...legendOf(legend, bottom)],
  };
}

const titles: Record<Layout['form'], (name: string) => string> = {
  grid: (name) => l10n.t('{0}: grid', name),
  graph: (name) => l10n.t('{0}: graph', name),
  members: (name) => l10n.t('{0}: members', name),
};

function countLine(count: number): string {
  return count === 1
    ? l10n.t('1 process; in each cell the rank in the communicator and the rank in MPI_COMM_WORLD.')
    : l10n.t('{0} processes; in each cell the rank in the communicator and the rank in MPI_COMM_WORLD.', count);
}

function arrowsOf({ edges }: Layout, places: readonly Point[], size: { width: number; height: number }): Shape[] {
  const middle = ({ x, y }: Point): Point => ({ x: x + size.width / 2, y: y + size.height / 2 });
  return edges.flatMap(([source, destination]): Shape[] => {
    const [from, to] = [places[source], places[destination]];
    if (from === undefined || to === undefined || source === destination) return [];
    const [start, end] = [middle(from), middle(to)];
    return [{ kind: 'arrow', from: edge(start, end, size), to: edge(end, start, size), look: 'waits' }];
  });
}

function legendOf(legend: Coloring['legend'], top: number): Shape[] {
  return legend.flatMap(({ look, text }, index): Shape[] => {
    const y = top + index * legendLine;
    return [
      { kind: 'box', x: margin, y, width: 14, height: 14, look },
      { kind: 'text', x: margin + 24, y: y + 11, text },
    ];
  });
}
