/**
 * Processes that a launcher has numbered as ranks of one job, while MPI takes each for a job of its own: an MPI that was started by the launcher
 * of another one. Their rank numbers mean nothing to MPI, so no verdict can rest on them.
 */
import { groupedBy } from '../grouped-by';
import { onceFor } from '../once';
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';

/** The look, in which such processes have this as their error and nothing else. */
export function withoutOwnJobs(look: readonly ProcessState[]): ProcessState[] {
  const worlds = groupedBy(look, ({ id }) => id.world);
  const areNumberedOtherwise = onceFor((world: readonly ProcessState[]) => world.some(isNumberedOtherwise));
  return look.map((state) => {
    const place = placeInWorld(state);
    const others = worlds.get(state.id.world)!;
    if (place === undefined || place.size >= others.length || !areNumberedOtherwise(others)) return state;
    const error =
      `MPI takes it for rank ${place.rank} of ${place.size}, its launcher for one of ${others.length} ranks: ` +
      'that launcher, or how it was called, does not belong to this MPI';
    return { ...state, error, positions: [], queues: [], requests: [] };
  });
}

function isNumberedOtherwise(state: ProcessState): boolean {
  const place = placeInWorld(state);
  return place !== undefined && state.id.rank !== null && place.rank !== state.id.rank;
}

/** As the library has it; undefined: not known. */
function placeInWorld({ comms }: ProcessState): { rank: number; size: number } | undefined {
  const world = comms.find(({ name, constant }) => (constant ?? name) === 'MPI_COMM_WORLD');
  if (world === undefined || isUnavailable(world.rank) || isUnavailable(world.size)) return undefined;
  const { rank, size } = world;
  return typeof rank === 'number' && typeof size === 'number' ? { rank, size } : undefined;
}
