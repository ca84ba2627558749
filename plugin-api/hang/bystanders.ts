/**
 * Threads that are outside MPI while another one of their process waits inside. Who may call MPI then the thread level tells, and of a
 * thread that may, what it does: one that sleeps has to wake first, and nothing of MPI wakes it.
 */
import { isUnavailable } from '../result';
import type { ProcessState } from './job-state';
import { sameProcessIn } from './movement';
import type { OutsideMpi, RankPosition } from './position';
import { namesOf } from './polled-text';

/** A thread that nobody can expect to end a wait. */
export interface Bystander {
  process: number;
  position: RankPosition;
  /** level: it may not call MPI. never: its code does not. sleeps: nothing has woken it, or it has slept on. */
  why: 'level' | 'never' | 'sleeps';
}

export interface WithoutBystanders {
  /** As they were, but of processes with a thread that waits in MPI without the threads outside. */
  looks: readonly (readonly ProcessState[])[];
  /** The threads that were left out of the last look. */
  aside: readonly { process: number; position: RankPosition }[];
  bystanders: readonly Bystander[];
  /** For each process of the last look of which another thread may still act, which thread. */
  acting: ReadonlyMap<number, string>;
  /** When those threads have all woken, that sleep for a short while and whose code does not tell what they do then; in seconds. */
  wakesIn: number | undefined;
}

/** In seconds. Who sleeps for longer counts as one who sleeps until somebody acts. */
const farAway = 60;

/** `seconds`: between the first look and the last. */
export function withoutBystanders(looks: readonly (readonly ProcessState[])[], seconds: number): WithoutBystanders {
  const last = looks.at(-1) ?? [];
  const inFirst = sameProcessIn(looks.length > 1 ? looks[0]! : []);
  const judged = last.map((state) => judge(state, inFirst(state), seconds));
  const all = judged.flatMap((threads, process) => threads.map((each) => ({ ...each, process })));
  const acting = new Map<number, string>();
  for (const { process, verdict } of all)
    if (verdict.kind === 'acts' && !acting.has(process)) acting.set(process, verdict.reason);
  const wakes = all.flatMap(({ verdict }) => (verdict.kind === 'acts' ? (verdict.wakesIn ?? Infinity) : []));
  return {
    looks: looks.map((look) => look.map((state) => withoutThreads(state, all))),
    aside: all,
    bystanders: all.flatMap(({ process, position, verdict }) =>
      verdict.kind === 'acts' ? [] : [{ process, position, why: verdict.kind }],
    ),
    acting,
    wakesIn: wakes.length > 0 && wakes.every(Number.isFinite) ? Math.max(...wakes) : undefined,
  };
}

/** Threads of a process that has none which waits in MPI count as what they are. */
function withoutThreads(state: ProcessState, judged: readonly { position: RankPosition }[]): ProcessState {
  const outside = outsideOf(state).filter(
    (each) => !isWaiting(each) || judged.some(({ position }) => isSameThread(position, each)),
  );
  const positions = state.positions
    .filter((position) => !outside.some((each) => each === position))
    .map(({ outside: _, ...position }) => position);
  return { ...state, positions };
}

type Verdict =
  | { kind: Bystander['why'] }
  /** wakesIn: it will have shown by then what it does next. */
  | { kind: 'acts'; reason: string; wakesIn?: number };

type OutsidePosition = RankPosition & { outside: OutsideMpi };

function outsideOf({ positions }: ProcessState): OutsidePosition[] {
  if (!positions.some(({ call, state }) => call !== undefined && state === 'blocked')) return [];
  return positions.filter((position): position is OutsidePosition => position.outside !== undefined);
}

/** For another thread of its process alone: it acts when one of those lets it. */
function isWaiting({ state }: RankPosition): boolean {
  return state === 'blocked';
}

function judge(
  state: ProcessState,
  before: ProcessState | undefined,
  seconds: number,
): { position: RankPosition; verdict: Verdict }[] {
  const outside = outsideOf(state);
  const mayCall = outside.some(({ outside: { callsMpi } }) => callsMpi.kind === 'may');
  const mayNone = isBelowMultiple(state) && !mayCall;
  const canNone = outside.every(({ outside: { callsMpi } }) => callsMpi.kind === 'never');
  return outside.flatMap((position) => {
    const { sleep, callsMpi } = position.outside;
    const isHarmless = canNone || (callsMpi.kind === 'never' && callsMpi.wakes !== true);
    const earlier = before && outsideOf(before).find((each) => isSameThread(each, position));
    if (isWaiting(position) && (earlier === undefined || isAtSamePlace(earlier, position))) return [];
    if (mayNone) return [{ position, verdict: { kind: 'level' as const } }];
    if (sleep !== undefined && isHarmless) return [{ position, verdict: { kind: 'never' as const } }];
    return [{ position, verdict: actOf(position, earlier, seconds, mayCall) }];
  });
}

/** One thread of it is in MPI: below MPI_THREAD_MULTIPLE no other may be then. */
function isBelowMultiple({ threadLevel, positions }: ProcessState): boolean {
  if (isUnavailable(threadLevel) || threadLevel === 'MPI_THREAD_MULTIPLE') return false;
  return positions.filter(({ call }) => call !== undefined).length === 1;
}

function isSameThread(one: RankPosition, other: RankPosition): boolean {
  const { rank, world, host, pid, thread, tid } = one;
  return (
    thread === other.thread &&
    tid === other.tid &&
    rank === other.rank &&
    world === other.world &&
    host === other.host &&
    pid === other.pid
  );
}

function isAtSamePlace(one: OutsidePosition, other: OutsidePosition): boolean {
  const { sleep } = one.outside;
  return sleep?.call === other.outside.sleep?.call && sleep?.from === other.outside.sleep?.from;
}

/** mayCall: the code of one of its process' threads outside MPI calls it, which this one may wake. */
function actOf(
  position: OutsidePosition,
  earlier: OutsidePosition | undefined,
  seconds: number,
  mayCall: boolean,
): Verdict {
  const { sleep, callsMpi, isOfCLibrary } = position.outside;
  if (isOfCLibrary === true)
    return {
      kind: 'acts',
      reason: 'has a thread of the C library, as for timers, which could start one of the program that sends',
    };
  const at = position.where === undefined ? '' : ` at ${position.where}`;
  if (position.polls !== undefined)
    return { kind: 'acts', reason: `has a thread that polls ${namesOf(position.polls)}${at} and could still send` };
  if (sleep === undefined) return { kind: 'acts', reason: `has a thread that computes${at} and could still send` };
  if (position.state === 'unknown')
    return { kind: 'acts', reason: `has a thread that waits${at} for another one, which may be at work` };
  const next =
    callsMpi.kind === 'may'
      ? `could then call ${callsMpi.call}`
      : mayCall
        ? 'could then wake one that sends'
        : 'could then send';
  const sleeps = `has a thread that sleeps${at}`;
  if (earlier?.outside.sleep === undefined || !isAtSamePlace(earlier, position))
    return {
      kind: 'acts',
      reason: `${sleeps} and ${earlier === undefined ? 'could still send' : 'moved between two looks'}`,
    };
  const { limit } = sleep;
  switch (limit.kind) {
    case 'none':
      return { kind: 'sleeps' };
    case 'unknown':
      return { kind: 'acts', reason: `${sleeps} until a time that is not known, and ${next}` };
    default: {
      if (limit.seconds > farAway) return { kind: 'sleeps' };
      if (!mayCall && hasWoken(earlier.outside.sleep, sleep, seconds)) return { kind: 'sleeps' };
      const reason = `${sleeps} for ${duration(limit.seconds)} at most, and ${next}`;
      return { kind: 'acts', reason, ...(mayCall ? {} : { wakesIn: limit.seconds }) };
    }
  }
}

/** Between two looks: what it did then was to go back to sleep. */
function hasWoken({ limit: earlier }: { limit: Limit }, { limit: now }: { limit: Limit }, seconds: number): boolean {
  if (earlier.kind === 'for') return earlier.seconds <= seconds;
  return earlier.kind === 'until' && now.kind === 'until' && earlier.moment !== now.moment;
}

type Limit = NonNullable<OutsideMpi['sleep']>['limit'];

/** "0.5 s", "20 s" */
function duration(seconds: number): string {
  return `${seconds < 10 ? Math.ceil(seconds * 10) / 10 : Math.ceil(seconds)} s`;
}
