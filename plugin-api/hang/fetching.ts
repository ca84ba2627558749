/** Ranks that read a window in a loop, maybe until what is in it changes: a flag of another rank, or a lock made of MPI_Compare_and_swap. */
import { keptBy, mayKeepLocks, windowOf } from './epochs';
import type { ProcessState } from './job-state';
import { sameProcessIn } from './movement';
import { pollsWindow, type RankPosition } from './position';

type Look = readonly ProcessState[];

/**
 * Such a rank polls, wherever in its loop it is, but in a call on the window that a lock may keep. With two looks only if it is in the
 * loop in both of them, and nothing in any window has changed: what changes is progress.
 */
export function withFetchingLoops(looks: readonly Look[]): readonly Look[] {
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined || !areWindowsStill(first, last)) return looks;
  if (looks.length === 1) return [polling(first, first)];
  return [polling(first, last), polling(last, first)];
}

/** Whether any does: then messages that come and go are no progress either, as the library may fetch with them. */
export function isFetching(look: Look): boolean {
  return look.some(({ positions }) => positions.some(pollsWindow));
}

function polling(look: Look, other: Look): ProcessState[] {
  const inOther = sameProcessIn(other);
  return look.map((state) => {
    const positions = state.positions.map((position) => {
      const there = inOther(state);
      const match = there?.positions.find(({ thread }) => thread === position.thread);
      const isSameLoop = position.fetches !== undefined && position.fetches.loop === match?.fetches?.loop;
      if (!isSameLoop || (isKept(position, state, look) && isKept(match, there!, other))) return position;
      // In its own code it has no window in hand.
      const win = position.win ?? match?.win;
      return { ...position, ...(win && { win }), state: 'polling' as const };
    });
    return { ...state, positions };
  });
}

/** In a call that a lock of another rank may keep: those that fetch in turn have such a lock, too, but not for long. */
function isKept(position: RankPosition, state: ProcessState, look: Look): boolean {
  if (position.state !== 'blocked') return false;
  return mayKeepLocks(look, look.indexOf(state), keptBy(position, windowOf(state, position.win)));
}

function areWindowsStill(first: Look, last: Look): boolean {
  const inLast = sameProcessIn(last);
  return first.every((state) => {
    const there = inLast(state);
    return there === undefined || there.inWindows === state.inWindows;
  });
}
