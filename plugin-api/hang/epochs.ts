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

/** It has its lock, or gets it when others give theirs back, and then goes on. */
const completing = /^MPI_Win_(unlock(_all)?|flush(_local)?(_all)?)$/;

/**
 * Whether another process keeps a lock of a window, or may: as long as something else than a lock keeps it. One that has ended
 * answers nobody. While a process waits in MPI_Win_lock for its first lock, the libraries tell of none.
 */
export function mayKeepLocks(processes: readonly ProcessState[], process: number): boolean {
  return processes.some(
    ({ wins, error, positions }, other) =>
      other !== process &&
      (error !== undefined ||
        positions.some(({ state }) => state === 'ended') ||
        (!positions.some(({ call = '' }) => completing.test(call)) &&
          wins.some(({ epoch }) => epoch !== undefined && (isUnavailable(epoch) || /^lock/.test(epoch.access))))),
  );
}
