/** Where the members of a communicator are drawn, and which of them are neighbours, by its topology. */
import * as l10n from '@vscode/l10n';
import type { CommInfo } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import { onCircle, radiusFor } from './circle';
import type { Point } from './picture';

type Edge = readonly [source: number, destination: number];

interface Cell {
  width: number;
  height: number;
  gap: number;
}

export interface Layout {
  form: 'grid' | 'graph' | 'members';
  lines: readonly string[];
  /** The dimensions of a grid. */
  dims?: readonly number[];
  /** The left upper corners of cells, by the rank in the communicator. */
  places: readonly Point[];
  /** The edges of a graph, by ranks in the communicator. */
  edges: readonly Edge[];
}

const planeGap = 30;
const membersInRow = 6;

export function layoutOf(infos: readonly [CommInfo, ...CommInfo[]], count: number, cell: Cell): Layout {
  const [{ cart }] = infos;
  const members = Array.from({ length: count }, (_, commRank) => commRank);
  if (cart !== undefined && !isUnavailable(cart) && cart.dims.length <= 3) {
    const { dims, periods } = cart;
    return {
      form: 'grid',
      lines: [dimensionsText(dims.join(' × '), periods)],
      dims,
      places: members.map((commRank) => inGrid(coordsOf(commRank, dims), dims, cell)),
      edges: [],
    };
  }
  const graph = graphOf(infos);
  if (graph === undefined) {
    const place = (rank: number): Point => position(rank % membersInRow, Math.floor(rank / membersInRow), cell);
    return { form: 'members', lines: [], places: members.map(place), edges: [] };
  }
  const radius = radiusFor(count, cell);
  return {
    form: 'graph',
    ...graph,
    places: members.map((rank) => onCircle({ x: radius, y: radius }, radius, rank / count)),
  };
}

/** Row-major, as the standard has it. */
export function coordsOf(commRank: number, dims: readonly number[]): number[] {
  let rest = commRank;
  return [...dims]
    .reverse()
    .map((size) => {
      const coordinate = rest % size;
      rest = Math.floor(rest / size);
      return coordinate;
    })
    .reverse();
}

/** Undefined: it has no such topology. */
function graphOf(infos: readonly [CommInfo, ...CommInfo[]]): Pick<Layout, 'lines' | 'edges'> | undefined {
  const [{ graph, distGraph, localProcs }] = infos;
  if (graph !== undefined && !isUnavailable(graph)) {
    const { index, edges } = graph;
    return {
      lines: [l10n.t('An arrow leads from each process to its neighbours.')],
      edges: index.flatMap((end, rank) => edges.slice(index[rank - 1] ?? 0, end).map((to): Edge => [rank, to])),
    };
  }
  if (distGraph === undefined || isUnavailable(distGraph)) return undefined;
  const found = new Map<string, Edge>();
  const keep = (source: number, destination: number): void => {
    found.set(`${source} ${destination}`, [source, destination]);
  };
  const told = infos.filter(({ rank, distGraph: each }) => {
    if (isUnavailable(rank) || each === undefined || isUnavailable(each)) return false;
    for (const source of each.sources) keep(source, rank);
    for (const destination of each.destinations) keep(rank, destination);
    return true;
  }).length;
  const size = isUnavailable(localProcs) ? told : localProcs.length;
  return {
    lines: [
      l10n.t('An arrow leads from each process to those that it sends to.'),
      ...(told < size
        ? [l10n.t('Each process knows its own neighbours alone: {0} of {1} are known here.', told, size)]
        : []),
    ],
    edges: [...found.values()],
  };
}

function dimensionsText(sizes: string, periods: readonly boolean[]): string {
  const periodic = periods.flatMap((isPeriodic, dimension) => (isPeriodic ? [l10n.t('dimension {0}', dimension)] : []));
  return periodic.length === 0
    ? l10n.t('Dimensions {0}; no dimension is periodic.', sizes)
    : l10n.t('Dimensions {0}; periodic: {1}.', sizes, periodic.join(', '));
}

/** The last dimension goes to the right, the one before it down; a third one makes planes below each other. */
function inGrid(coords: readonly number[], dims: readonly number[], cell: Cell): Point {
  const [column = 0, row = 0, plane = 0] = [...coords].reverse();
  const [, rows = 1] = [...dims].reverse();
  const { x, y } = position(column, row, cell);
  return { x, y: y + plane * (rows * (cell.height + cell.gap) + planeGap) };
}

function position(column: number, row: number, { width, height, gap }: Cell): Point {
  return { x: column * (width + gap), y: row * (height + gap) };
}
