/** The AND/OR wait-for graph: who can never go on. */
import { listed } from '../listed';
import { kindOfCall } from './calls';
import { pollsWindow, type RankPosition } from './position';
import type { ProcessState } from './job-state';
import type { Need, Wait } from './need';
import { fetchingText, polledText } from './polled-text';
import { ownCodeText } from './own-code-text';
import { Waits } from './waits';
import { calledFrom } from './words';

export interface WaitForGraph {
  waits: Waits;
  /** For each process, the waits of each of its threads that is blocked. */
  waitsOf: readonly (readonly Wait[])[];
  /** Why each process can go on that can. Those that finalize or have ended are neither here nor stuck. */
  free: ReadonlyMap<number, string>;
  /** The waits of those among them that others will end who can go on. */
  released: ReadonlyMap<number, Wait>;
  /** Blocked, and nobody will ever release them. */
  stuck: ReadonlySet<number>;
}

/**
 * `moved`: processes that go on, whatever they seem to wait for; `acting`: those of which a thread may act that waits for nobody in MPI;
 * `reached`: those that a message is under way to.
 */
export function waitForGraph(
  processes: readonly ProcessState[],
  moved: ReadonlyMap<number, string>,
  acting: ReadonlyMap<number, string>,
  reached: ReadonlyMap<number, string>,
): WaitForGraph {
  const waits = new Waits(processes);
  const waitsOf = processes.map((state, process) =>
    hasEnded(state) ? [] : state.positions.filter(isBlocked).map((position) => waits.of(process, position)),
  );
  const free = new Map<number, string>();
  const ended = new Map<number, Wait>();
  const waiting = new Set<number>();
  processes.forEach((state, process) => {
    const reason =
      stopReason(state) ??
      moved.get(process) ??
      reasonToGoOn(state, processes) ??
      acting.get(process) ??
      (waitsOf[process]!.every(isForAnotherJob) ? undefined : reached.get(process));
    if (reason !== undefined) free.set(process, reason);
    else if (!isLeaving(state)) waiting.add(process);
  });
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const process of waiting) {
      const released = waitsOf[process]!.find((wait) => isReleased(wait, free));
      if (released === undefined) continue;
      const reason = releaseReason(released, free);
      if (reason === undefined) ended.set(process, released);
      free.set(
        process,
        `waits in ${calledFrom(released.position, released.call)}${reason === undefined ? ' for one that can go on' : `: ${reason}`}`,
      );
      waiting.delete(process);
      isDone = false;
    }
  }
  return { waits, waitsOf, free, released: ended, stuck: waiting };
}

function isBlocked({ state }: RankPosition): boolean {
  return state === 'blocked';
}

function hasEnded({ crash, positions }: ProcessState): boolean {
  return (crash !== undefined && crash.wasSent !== true) || positions.some(({ state }) => state === 'ended');
}

/** It has ended, or is in MPI_Finalize: it will not act for others any more. */
export function isLeaving(state: ProcessState): boolean {
  return (
    hasEnded(state) ||
    (state.positions.some(({ state: own }) => own === 'finalizing') && !state.positions.some(isBlocked))
  );
}

export const stoppedBySignal = 'stopped by a signal, until SIGCONT';

/** What keeps it is no other rank. */
function stopReason(state: ProcessState): string | undefined {
  const isStopped = state.found?.state === 'stopped' && !isLeaving(state);
  return isStopped ? `is ${stoppedBySignal}` : undefined;
}

/** Why a process goes on that nobody needs to release. */
function reasonToGoOn(state: ProcessState, processes: readonly ProcessState[]): string | undefined {
  const { error, positions } = state;
  if (error !== undefined) return `cannot be asked: ${error}`;
  if (isLeaving(state)) return undefined;
  for (const position of positions) {
    const { state: own, call, where, reason, thread, asks, polls } = position;
    const at = `${where === undefined ? '' : ` at ${where}`}${thread === 1 ? '' : ` in thread ${thread}`}`;
    if (own === 'running') return call === undefined ? ownCodeText(position, processes) : `is in ${call}${at}`;
    if (polls !== undefined) return polledText(position, polls, processes);
    if (pollsWindow(position)) return fetchingText(position, state);
    // In a loop that asks with several, it is not known which comes next.
    if (own === 'polling') return `polls with ${call ?? (asks === undefined ? 'MPI' : listed(asks, 'or'))}${at}`;
    if (own === 'unknown') return `is at an unknown place: ${reason ?? 'its stack does not tell'}`;
  }
  return positions.length === 0 ? 'is at an unknown place' : undefined;
}

/** It is another job that ends such a call, or a member that comes: a message that is under way to the process tells of neither. */
function isForAnotherJob({ call }: Wait): boolean {
  return kindOfCall(call).kind === 'outside';
}

function isReleased({ mode, needs }: Wait, free: ReadonlyMap<number, string>): boolean {
  const isMet = (need: Need): boolean => happensFor(need, free);
  return mode === 'AND' ? needs.every(isMet) : needs.length === 0 || needs.some(isMet);
}

export function happensFor({ happens, mode, on, others = [] }: Need, free: ReadonlyMap<number, string>): boolean {
  if (happens !== undefined || others.some((process) => free.has(process))) return true;
  return mode === 'AND' ? on.every((process) => free.has(process)) : on.some((process) => free.has(process));
}

/** undefined: others will act that can go on. */
function releaseReason({ needs, mode }: Wait, free: ReadonlyMap<number, string>): string | undefined {
  const vague = needs.find((need) => need.vague !== undefined && happensFor(need, free));
  if (vague !== undefined) return vague.vague;
  // Where several have to happen, those that have happened already do not tell.
  const open = mode === 'AND' ? needs.filter(({ on }) => on.length > 0) : [];
  if (open.some(({ happens }) => happens === undefined)) return undefined;
  return [...open, ...needs].find(({ happens }) => happens !== undefined)?.happens;
}
