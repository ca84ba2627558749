/** What a thread waits for that only another one of its process ends, as people read it. */
import { placeOf } from './place-text';
import type { OwnThreadWait, RankPosition } from './position';

/** Who has it is not known. */
export const forLock = 'for a lock, which another thread of its rank has to release';

/** "in pthread_mutex_lock (io.c:40) for a lock that thread 2 holds"; undefined: in which call it waits is not known. `positions`: of its process. */
export function ownThreadText(position: RankPosition, positions: readonly RankPosition[]): string | undefined {
  const { waitsOn } = position;
  if (waitsOn === undefined) return undefined;
  // Programs do not name what compilers call for them.
  if (isOfOpenMp(waitsOn) && !waitsOn.call.startsWith('omp_')) return inOpenMp(position, waitsOn);
  return `in ${waitsOn.call}${placeOf(position)} ${whatFor(position, waitsOn, positions)}`;
}

/** In its runtime, which does not tell for whom. */
export function isOfOpenMp({ call }: OwnThreadWait): boolean {
  return /^(GOMP_|__kmpc_|omp_)/.test(call);
}

function inOpenMp(position: RankPosition, { call }: OwnThreadWait): string | undefined {
  const other = 'another thread of its rank';
  if (/barrier/.test(call)) return `at a barrier${placeOf(position)} for ${other}`;
  if (position.where === undefined) return undefined;
  const what = /critical/.test(call) ? `to enter a critical section, which ${other} has to leave` : `for ${other}`;
  return `at ${position.where} ${what}`;
}

function whatFor(position: RankPosition, wait: OwnThreadWait, positions: readonly RankPosition[]): string {
  const { call, on, hasEnded } = wait;
  if (holdsItself(position)) return 'for a lock that it holds itself';
  if (hasEnded === true) return 'for a lock that a thread held when it ended: nobody can release it any more';
  const other = positions.find(({ tid }) => on !== undefined && tid === on);
  if (/lock$/.test(call)) return other === undefined ? forLock : `for a lock that thread ${other.thread} holds`;
  const whom = other === undefined ? 'another thread of its rank' : `thread ${other.thread}`;
  return `for ${whom}${/join$/.test(call) ? ' to end' : ''}`;
}

export function holdsItself({ waitsOn, tid }: RankPosition): boolean {
  return waitsOn !== undefined && /lock$/.test(waitsOn.call) && waitsOn.on !== undefined && waitsOn.on === tid;
}
