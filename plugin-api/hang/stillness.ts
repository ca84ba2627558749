/** Whether a job stands still: a later look finds every rank in the same wait, and no message has come or gone. */
import { withoutBystanders } from './bystanders';
import { movedBetween, notRunBetween } from './movement';
import type { ProcessState } from './job-state';
import type { PositionState, RankPosition } from './position';

export interface StillnessRules {
  /** A rank in its own code, or one that a signal has stopped, is no sign of progress, as long as it sends and receives nothing. */
  ignoresOwnCode: boolean;
}

/** In MPI, until something comes that it waits or asks for. */
const waiting: readonly PositionState[] = ['blocked', 'polling', 'finalizing'];

/** Whether one look alone leaves it open. */
export function mayStandStill(look: readonly ProcessState[], { ignoresOwnCode }: StillnessRules): boolean {
  // What its threads outside MPI do another look tells.
  const [inMpi = []] = withoutBystanders([look], 0).looks;
  const positions = inMpi.flatMap((process) => process.positions);
  const isQuiet = ({ state }: RankPosition): boolean =>
    state === 'ended' || waiting.includes(state) || (ignoresOwnCode && isOwn(state));
  const isStopped = ({ found }: ProcessState): boolean => found?.state === 'stopped';
  return (
    look.every(({ error, positions: own }) => error === undefined && own.length > 0) &&
    // All of them may be suspended, to go on later.
    !(ignoresOwnCode ? look.every(isStopped) : look.some(isStopped)) &&
    positions.every(isQuiet) &&
    positions.some(({ state }) => waiting.includes(state))
  );
}

/** `seconds`: between the looks. */
export function standsStill(
  before: readonly ProcessState[],
  now: readonly ProcessState[],
  seconds: number,
  rules: StillnessRules,
): boolean {
  if (before.length !== now.length || !mayStandStill(before, rules) || !mayStandStill(now, rules)) return false;
  const { looks, acting } = withoutBystanders([before, now], seconds);
  if (acting.size > 0 && !rules.ignoresOwnCode) return false;
  const [first = [], last = []] = looks;
  const compared = (look: readonly ProcessState[]): readonly ProcessState[] =>
    rules.ignoresOwnCode ? look.map(withoutOwnCode) : look;
  return movedBetween(compared(first), compared(last)).size === 0 && notRunBetween(before, now).size === 0;
}

function isOwn(state: PositionState): boolean {
  return state === 'running' || state === 'unknown';
}

/** A rank that asks in a loop is in its own code between two questions. */
function withoutOwnCode(process: ProcessState): ProcessState {
  const positions = process.positions.map((position): RankPosition => {
    const { state, thread } = position;
    return isOwn(state) || state === 'polling' ? { ...process.id, thread, state: 'running' } : position;
  });
  return { ...process, positions };
}
