/** Threads of OpenMP that only another thread of their process can release, as a collector has told. */
import type { CodeRef } from '../mpi/code-ref';
import type { MutexKind, OmptThread } from '../overlays/ompt-records';

export interface OpenMpWait {
  /** The kernel's number of the thread. */
  thread: number;
  kind: MutexKind | 'barrier';
  /** The kernel's numbers of those that have to act: who holds the lock, or has not come to the barrier. */
  on: readonly number[];
  /** Where the holder has taken it. */
  taken?: CodeRef;
}

/**
 * Those that cannot go on by themselves: a lock that nobody holds is about to be taken, and while there are tasks a thread at a
 * barrier may do one of them.
 */
export function openMpWaits(threads: readonly OmptThread[], hasTasks: boolean): OpenMpWait[] {
  return threads.flatMap((each): OpenMpWait[] => {
    const { thread, waitsFor } = each;
    if (waitsFor === undefined) return [];
    switch (waitsFor.kind) {
      case 'taskwait':
      case 'taskgroup':
      case 'reduction':
      case 'target':
        return [];
      case 'barrier': {
        const on = hasTasks ? [] : absentOf(each, threads);
        return on.length === 0 ? [] : [{ thread, kind: 'barrier', on }];
      }
      default: {
        const holder = threads.find(({ holds }) => holds.some(({ waitId }) => waitId === waitsFor.waitId));
        if (holder === undefined) return [];
        const { code } = holder.holds.find(({ waitId }) => waitId === waitsFor.waitId)!;
        return [{ thread, kind: waitsFor.kind, on: [holder.thread], ...(code === undefined ? {} : { taken: code }) }];
      }
    }
  });
}

/** Those of its team that are not at a barrier; none where not all of the team are known. */
function absentOf({ parallel }: OmptThread, threads: readonly OmptThread[]): number[] {
  if (parallel?.teamSize === undefined) return [];
  const team = threads.filter((other) => other.parallel?.id === parallel.id);
  if (team.length < parallel.teamSize) return [];
  return team.filter(({ waitsFor }) => waitsFor?.kind !== 'barrier').map(({ thread }) => thread);
}
