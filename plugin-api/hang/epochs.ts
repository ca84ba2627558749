/** Whom the calls on windows wait for whose epochs are of a group. */
import type { EpochGroups } from '../mpi/plugin';
import type { HandleRef, Known } from '../mpi/records';
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';

/** The only one that there is must be the one that a call is given. */
export function windowOf(
  { wins }: ProcessState,
  ref: Known<HandleRef> | undefined,
): ProcessState['wins'][number] | undefined {
  if (ref !== undefined && !isUnavailable(ref)) return wins.find(({ handle }) => handle === ref.handle);
  return wins.length === 1 ? wins[0] : undefined;
}

/** Whose post or completion the call waits for: one of them at least has to act. undefined: it is not known. */
export function epochPartners(
  processes: readonly ProcessState[],
  process: number,
  call = '',
  { startGroup, postGroup }: EpochGroups,
): number[] | undefined {
  const group = /^MPI_Win_(start|complete)$/.test(call) ? startGroup : call === 'MPI_Win_wait' ? postGroup : undefined;
  if (group === undefined || isUnavailable(group)) return undefined;
  const { world } = processes[process]!.id;
  const partners = group.map((rank) =>
    processes.findIndex(({ id }) => rank !== null && id.rank === rank && id.world === world),
  );
  return partners.includes(-1) ? undefined : partners;
}

/** Of such a call only a lock that another process holds keeps it: the target itself need not call anything. */
export function needsOnlyLocks(call = ''): boolean {
  return /^MPI_Win_((un)?lock(_all)?|flush(_local)?(_all)?)$/.test(call);
}

/** Whether another process has locked a window, or may have; one that has ended keeps its lock, and answers nobody. */
export function mayHoldLocks(processes: readonly ProcessState[], process: number): boolean {
  return processes.some(
    ({ wins, error, positions }, other) =>
      other !== process &&
      (error !== undefined ||
        positions.some(({ state }) => state === 'ended') ||
        wins.some(({ epoch }) => epoch !== undefined && (isUnavailable(epoch) || /^lock/.test(epoch.access)))),
  );
}
