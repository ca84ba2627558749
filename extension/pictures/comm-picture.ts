/** The members of a communicator: as the grid of a cartesian one, else in the order of their ranks. */
import type { CommInfo } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import type { Picture, Shape } from './picture';

const cell = { width: 86, height: 42, gap: 7 };
const margin = 10;
const planeGap = 30;
const maxMembers = 1024;
const membersInRow = 6;

/** Undefined: its members are unknown. */
export function commPicture(name: string, info: CommInfo): Picture | undefined {
  const { localProcs, rank, cart } = info;
  if (isUnavailable(localProcs) || localProcs.length === 0) return undefined;
  const own = isUnavailable(rank) ? undefined : rank;
  const grid = cart === undefined || isUnavailable(cart) || cart.dims.length > 3 ? undefined : cart;
  const placed = localProcs.slice(0, maxMembers).map((worldRank, commRank) => {
    const coords = grid === undefined ? undefined : coordsOf(commRank, grid.dims);
    const { x, y } = coords === undefined ? inRows(commRank) : inGrid(coords, grid!.dims);
    return { commRank, worldRank, coords, x, y };
  });
  const cells = placed.map(({ commRank, worldRank, coords, x, y }): Shape => {
    const texts = [`${commRank}${coords === undefined ? '' : ` (${coords.join(',')})`}`, worldText(worldRank)];
    const look = commRank === own ? 'own' : 'plain';
    const place = { x, y, width: cell.width, height: cell.height, look, texts } as const;
    return worldRank === null
      ? { kind: 'box', ...place }
      : { kind: 'rank', ...place, target: { ranks: String(worldRank) } };
  });
  return {
    title: `${name}: ${grid === undefined ? 'members' : 'grid'}`,
    lines: [
      `${localProcs.length} ${localProcs.length === 1 ? 'process' : 'processes'}; in each cell the rank in the communicator and the rank in MPI_COMM_WORLD.`,
      ...(grid === undefined ? [] : [`Dimensions ${grid.dims.join(' × ')}; ${periodText(grid.periods)}.`]),
      ...(localProcs.length > maxMembers ? [`The first ${maxMembers} are drawn.`] : []),
    ],
    width: Math.max(...placed.map(({ x }) => x)) + cell.width + margin,
    height: Math.max(...placed.map(({ y }) => y)) + cell.height + margin,
    shapes: cells,
  };
}

function worldText(worldRank: number | null): string {
  return worldRank === null ? 'another world' : `rank ${worldRank}`;
}

function periodText(periods: readonly boolean[]): string {
  const periodic = periods.flatMap((isPeriodic, dimension) => (isPeriodic ? [dimension] : []));
  return periodic.length === 0
    ? 'no dimension is periodic'
    : `periodic: ${periodic.map((dimension) => `dimension ${dimension}`).join(', ')}`;
}

/** Row-major, as the standard has it. */
function coordsOf(commRank: number, dims: readonly number[]): number[] {
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

/** The last dimension goes to the right, the one before it down; a third one makes planes below each other. */
function inGrid(coords: readonly number[], dims: readonly number[]): { x: number; y: number } {
  const [column = 0, row = 0, plane = 0] = [...coords].reverse();
  const [, rows = 1] = [...dims].reverse();
  const at = position(column, row);
  return { x: at.x, y: at.y + plane * (rows * (cell.height + cell.gap) + planeGap) };
}

function inRows(commRank: number): { x: number; y: number } {
  return position(commRank % membersInRow, Math.floor(commRank / membersInRow));
}

function position(column: number, row: number): { x: number; y: number } {
  return { x: margin + column * (cell.width + cell.gap), y: margin + row * (cell.height + cell.gap) };
}
