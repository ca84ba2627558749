/** What shows that a process goes on: it moved between two looks, or a message for it is under way. */
import { isUnavailable } from '../result';
import type { Communicators } from './communicators';
import type { ProcessState } from './job-state';

/** Of each process that is not where it was. */
export function movedBetween(before: readonly ProcessState[], now: readonly ProcessState[]): Map<number, string> {
  const earlier = new Map(before.map((state) => [idOf(state), fingerprint(state)]));
  const moved = new Map<number, string>();
  now.forEach((state, process) => {
    if (earlier.get(idOf(state)) !== fingerprint(state)) moved.set(process, 'moved between two looks');
  });
  return moved;
}

function idOf({ id: { rank, world, pid, host } }: ProcessState): string {
  return JSON.stringify([rank, world, pid, host]);
}

function fingerprint({ error, positions, queues, counters, traffic }: ProcessState): string {
  const shown = isUnavailable(counters) ? traffic : counters;
  return JSON.stringify([error, positions, queues, shown]);
}

const modulus = 65536;

/** Of each process to which another has sent what it has not taken yet. */
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
      if (to === undefined || isUnavailable(processes[to]!.counters)) continue;
      const next = expected.get(`${on!.key} ${from} ${to}`) ?? 1;
      if (next % modulus !== (sent + 1) % modulus) found.set(to, 'has a message under way to it');
    }
  });
  return found;
}
