/** What shows that a process goes on: it moved between two looks, or a message for it is under way. */
import { isUnavailable } from '../result';
import type { Communicators } from './communicators';
import type { ProcessState } from './job-state';
import type { RankPosition } from './position';
import { isLeaving } from './wait-for-graph';

/** The processes that are not where they were; without `placesOnly` also those that have sent or received something meanwhile. */
export function movedBetween(
  before: readonly ProcessState[],
  now: readonly ProcessState[],
  { placesOnly = false } = {},
): Map<number, string> {
  const fingerprint = placesOnly ? placesOf : placesAndMessagesOf;
  const earlier = new Map(before.map((state) => [idOf(state), fingerprint(state)]));
  const moved = new Map<number, string>();
  const leaving = new Set(before.filter(isLeaving).map(idOf));
  now.forEach((state, process) => {
    // What goes on in MPI_Finalize is for the library alone.
    if (isLeaving(state) && leaving.has(idOf(state))) return;
    if (earlier.get(idOf(state)) !== fingerprint(state)) moved.set(process, 'moved between two looks');
  });
  return moved;
}

/** Whether nothing is on its way between hosts: all that was sent has been read, and nothing was sent between the looks. */
export function isNetworkStill(before: readonly ProcessState[], now: readonly ProcessState[]): boolean {
  const earlier = new Map(before.map((state) => [idOf(state), state.network]));
  return now.every((state) => {
    const { network } = state;
    if (network === undefined || network.carried !== earlier.get(idOf(state))?.carried) return false;
    // What one in MPI_Finalize gets, it does nothing with for others.
    return network.unsent === 0 && (network.unread === 0 || isLeaving(state));
  });
}

/** In milliseconds: enough to look for messages many times; who is held and let go needs less. */
const minProcessorTime = 1;

/** The processes that could have gone on between the looks, but were not run. */
export function notRunBetween(before: readonly ProcessState[], now: readonly ProcessState[]): Map<number, string> {
  const earlier = new Map(before.map((state) => [idOf(state), state]));
  const found = new Map<number, string>();
  now.forEach((state, process) => {
    const first = earlier.get(idOf(state))?.found;
    if (isLeaving(state)) return;
    // Numbers of messages show what is under way to it.
    if (
      first?.processorTime === undefined ||
      state.found?.processorTime === undefined ||
      !isUnavailable(state.counters)
    )
      return;
    const isRunnable = first.state === 'runnable' || state.found.state === 'runnable';
    if (isRunnable && state.found.processorTime - first.processorTime < minProcessorTime)
      found.set(process, 'got no processor time between two looks');
  });
  return found;
}

/** Finds the same process in another look, for each of many. */
export function sameProcessIn(look: readonly ProcessState[]): (state: ProcessState) => ProcessState | undefined {
  const byId = new Map<string, ProcessState>();
  for (const state of look) if (!byId.has(idOf(state))) byId.set(idOf(state), state);
  return (state) => byId.get(idOf(state));
}

function idOf({ id: { rank, world, pid, host } }: ProcessState): string {
  return JSON.stringify([rank, world, pid, host]);
}

function placesAndMessagesOf(state: ProcessState): string {
  const { queues, counters, traffic } = state;
  const shown = isUnavailable(counters) ? traffic : counters;
  return JSON.stringify([placesOf(state), queues, shown]);
}

function placesOf({ error, positions }: ProcessState): string {
  // How much of a sleep is left is no movement.
  const places = positions.map(({ waitsIn, ...position }) => ({ ...position, waitsIn: waitsIn?.call }));
  return JSON.stringify([error, places]);
}

const modulus = 65536;

/** The processes to which another has sent what they have not taken yet. */
export function messagesUnderWay(processes: readonly ProcessState[], comms: Communicators): Map<number, string> {
  const expected = new Map<string, number>();
  processes.forEach(({ counters }, process) => {
    if (isUnavailable(counters)) return;
    for (const { comm, peer, expected: next } of counters) {
      const on = comms.of(process, comm);
      if (on !== undefined) expected.set(`${on.key} ${on.peers[peer]} ${process}`, next);
    }
  });
  const found = new Map<number, string>();
  processes.forEach(({ counters }, from) => {
    if (isUnavailable(counters)) return;
    for (const { comm, peer, sent } of counters) {
      const on = comms.of(from, comm);
      const to = on?.peers[peer];
      // One in MPI_Finalize does nothing for others with what it gets.
      if (to === undefined || isUnavailable(processes[to]!.counters) || isLeaving(processes[to]!)) continue;
      const next = expected.get(`${on!.key} ${from} ${to}`) ?? 1;
      if (comms.lacks(to, on!.key) && makesNone(processes[to]!)) continue;
      if (next % modulus !== (sent + 1) % modulus) found.set(to, 'has an incoming message under way');
    }
  });
  return found;
}

/** Nothing that it waits for creates a communicator: it will never take a message on one that it has freed. */
export function makesNone({ positions, requests }: ProcessState): boolean {
  const isInOther = ({ state, call }: RankPosition): boolean =>
    state === 'blocked' && call !== undefined && !makers.test(call);
  return positions.every(isInOther) && !requests.some(({ operation }) => operation === 'commDup');
}

/** They create a communicator, if only one of the library's own. */
const makers = /^P?MPI_(Comm|Cart|Graph|Dist_graph|Intercomm|Win|File|Session|Init)/i;
