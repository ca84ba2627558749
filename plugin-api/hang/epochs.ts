/** Whom the calls on windows wait for whose epochs are of a group. */
import type { EpochGroups } from '../mpi/plugin';
import type { HandleRef, Known } from '../mpi/records';
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';
import { pollsWindow, type RankPosition } from './position';

/** The only one that there is must be the one that a call is given. */
export function windowOf(
  { wins }: ProcessState,
  ref: Known<HandleRef> | undefined,
): ProcessState['wins'][number] | undefined {
  if (ref !== undefined && !isUnavailable(ref)) return wins.find(({ handle }) => handle === ref.handle);
  return wins.length === 1 ? wins[0] : undefined;
}

export type OwnWindow = ProcessState['wins'][number];

/** Whose acts a call waits for, as in Need. */
export interface EpochPartners {
  on: number[];
  mode: 'AND' | 'OR';
}

/**
 * Whose post or completion the call waits for; `sameOf`: another process' own view of the window. Who has posted has come to the
 * epoch of MPI_Win_start; who is still in its own epoch has not completed it. undefined: it is not known.
 */
export function epochPartners(
  processes: readonly ProcessState[],
  process: number,
  { call = '', members }: Pick<RankPosition, 'call' | 'members'>,
  { startGroup, postGroup, completes }: EpochGroups,
  sameOf: (other: number) => OwnWindow | undefined,
): EpochPartners | undefined {
  const started = members === undefined || isUnavailable(members) ? startGroup : members;
  const group = /^MPI_Win_(start|complete)$/.test(call) ? started : call === 'MPI_Win_wait' ? postGroup : undefined;
  if (group === undefined || isUnavailable(group)) return undefined;
  const { world, rank: own } = processes[process]!.id;
  const partners = group.map((rank) =>
    processes.findIndex(({ id }) => rank !== null && id.rank === rank && id.world === world),
  );
  if (partners.includes(-1)) return undefined;
  const mayAct: EpochPartners = { on: partners, mode: 'OR' };
  if (call === 'MPI_Win_start') {
    const isIn = (other: number): boolean | undefined => isOpenFor(own, sameOf(other), 'exposure', 'post');
    const others = partners.filter((other) => isIn(other) !== true);
    if (others.length === 0) return mayAct;
    return { on: others, mode: others.every((other) => isIn(other) === false) ? 'AND' : 'OR' };
  }
  if (call === 'MPI_Win_wait') {
    const open = notCompleted(partners, own, completes, sameOf);
    if (open !== undefined) return { on: open, mode: 'AND' };
    const within = partners.filter((other) => isOpenFor(own, sameOf(other), 'access', 'start') === true);
    if (within.length > 0) return { on: within, mode: 'AND' };
  }
  return mayAct;
}

/** Who is within the epoch, or has not taken a post: of as many as have not completed, it is those. undefined: it is not known. */
function notCompleted(
  partners: readonly number[],
  own: number | null,
  completes: number | undefined,
  sameOf: (other: number) => OwnWindow | undefined,
): number[] | undefined {
  if (completes === undefined || completes >= partners.length) return undefined;
  const open = partners.filter((other) => {
    const win = sameOf(other);
    return isOpenFor(own, win, 'access', 'start') === true || (win?.posts ?? 0) > 0;
  });
  return open.length === partners.length - completes ? open : undefined;
}

/** Whether a process has opened an epoch for this rank and not closed it; undefined: it is not known. */
function isOpenFor(
  rank: number | null,
  win: OwnWindow | undefined,
  side: 'access' | 'exposure',
  kind: 'start' | 'post',
): boolean | undefined {
  if (win === undefined || isUnavailable(win.epoch)) return undefined;
  if (win.epoch[side] !== kind) return false;
  const group = kind === 'start' ? win.startGroup : win.postGroup;
  return group === undefined || isUnavailable(group) ? undefined : group.includes(rank);
}

/** Only a lock that another process holds keeps such a call: the target itself need not call anything. */
export function needsOnlyLocks(call = ''): boolean {
  return /^MPI_Win_((un)?lock(_all)?|flush(_local)?(_all)?)$/.test(call);
}

type Access = Extract<OwnWindow['epoch'], { access: unknown }>['access'];

/** Which locks of others keep a process whose own window is this: MPI_Win_lock_all is shared, and only an exclusive lock may keep it. */
export function keptBy(
  { call = '' }: Pick<RankPosition, 'call'>,
  win: OwnWindow | undefined,
): (access: Access) => boolean {
  const isShared =
    call === 'MPI_Win_lock_all' || (win !== undefined && !isUnavailable(win.epoch) && win.epoch.access === 'lockAll');
  return (access) => access === 'lock' || (access === 'lockAll' && !isShared);
}

/** It has its lock, or gets it when others give theirs back, and then goes on. */
const completing = /^MPI_Win_(unlock(_all)?|flush(_local)?(_all)?)$/;

/**
 * Whether another process keeps a lock of a window, or may: as long as something else than a lock keeps it. One that has ended
 * answers nobody. While a process waits in MPI_Win_lock for its first lock, the libraries tell of none.
 */
export function mayKeepLocks(
  processes: readonly ProcessState[],
  process: number,
  keeps: (access: Access) => boolean,
): boolean {
  return processes.some(
    ({ wins, error, positions }, other) =>
      other !== process &&
      (error !== undefined ||
        positions.some(({ state }) => state === 'ended') ||
        (!positions.some((position) => completing.test(position.call ?? '') && !pollsWindow(position)) &&
          wins.some(({ epoch }) => epoch !== undefined && (isUnavailable(epoch) || keeps(epoch.access))))),
  );
}

/** Those of these processes that have locked the window so that it `keeps`; undefined: it is not known of one, or none has. */
export function whoHasLocked(
  processes: readonly number[],
  sameOf: (other: number) => OwnWindow | undefined,
  keeps: (access: Access) => boolean,
): number[] | undefined {
  const found = processes.map((process) => ({ process, epoch: sameOf(process)?.epoch }));
  if (found.some(({ epoch }) => epoch === undefined || isUnavailable(epoch))) return undefined;
  const locked = found.filter(({ epoch }) => !isUnavailable(epoch) && keeps(epoch!.access));
  return locked.length === 0 ? undefined : locked.map(({ process }) => process);
}

export function windowRef({ handle, name }: OwnWindow): HandleRef {
  return { kind: 'win', handle, ...(name === undefined || isUnavailable(name) || name === '' ? {} : { name }) };
}
