/**
 * Partitioned sends whose tag the sender's library does not keep: it is sent ahead, and lies at the receiver as a request of the
 * library's own until a receive matches it.
 */
import type { RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import type { Communicator, Communicators } from './communicators';
import type { ProcessState } from './job-state';

interface PartitionedSend {
  from: number;
  to: number;
  comm: Communicator;
}

/** The tag of a send that nothing has matched. undefined: it is matched, or more than one send may be the one that was announced. */
export function announcedTag(
  send: PartitionedSend,
  processes: readonly ProcessState[],
  comms: Communicators,
): number | undefined {
  const [announced, another] = announcedAt(send.to, processes);
  if (announced === undefined || another !== undefined || !isTheOnly('partitionedSend', send, processes, comms))
    return undefined;
  const isOf = typeof announced.peer === 'number' && send.comm.peers[announced.peer] === send.from;
  return isOf && typeof announced.tag === 'number' ? announced.tag : undefined;
}

/** Nothing that was announced lies at the receiver, which has one receive that it can be for. */
export function isSurelyMatched(
  send: PartitionedSend,
  processes: readonly ProcessState[],
  comms: Communicators,
): boolean {
  return (
    announcedAt(send.to, processes).length === 0 &&
    isTheOnly('partitionedSend', send, processes, comms) &&
    isTheOnly('partitionedReceive', send, processes, comms)
  );
}

function announcedAt(process: number, processes: readonly ProcessState[]): RequestInfo[] {
  return processes[process]!.requests.filter(
    ({ operation, flags }) => operation === 'partitionedReceive' && flags.includes('internal'),
  );
}

/** Whether no other request of this kind goes to the receiver; one whose ends are not known may. */
function isTheOnly(
  operation: 'partitionedSend' | 'partitionedReceive',
  { from, to }: PartitionedSend,
  processes: readonly ProcessState[],
  comms: Communicators,
): boolean {
  const found = processes.flatMap(({ requests }, owner) =>
    requests.flatMap((info) => {
      if (info.operation !== operation || info.flags.includes('internal')) return [];
      const on = comms.of(owner, info.comm);
      const isKnown = info.peer !== undefined && !isUnavailable(info.peer) && typeof info.peer === 'number';
      const other = isKnown ? on?.peers[info.peer as number] : undefined;
      const receiver = operation === 'partitionedSend' ? other : owner;
      if (receiver !== undefined && receiver !== to) return [];
      return [operation === 'partitionedSend' ? owner : other];
    }),
  );
  return found.length === 1 && found[0] === from;
}
