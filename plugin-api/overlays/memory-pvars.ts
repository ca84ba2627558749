/** Queue lengths without a collector: counted in the message layer's own queues of a process that does not run. */
import type { MpiProcess } from '../mpi/plugin';
import type { QueueItem } from '../mpi/queue-records';
import { queuesByComm } from '../mpi/queues-by-comm';
import type { CommInfo, Known } from '../mpi/records';
import { isUnavailable, known, QueryError } from '../result';
import type { Pvar, PvarInstance } from './records';

type Queue = 'unexpected' | 'posted';

/** As they are named where the message layer has such variables itself, and otherwise; counted in the same way. */
const variables: Record<Queue, { ofOb1: string; name: string; description: string }> = {
  unexpected: {
    ofOb1: 'pml_ob1_unexpected_msgq_length',
    name: 'unexpected_recvq_length',
    description: 'Messages from each peer in a communicator that no receive was posted for',
  },
  posted: {
    ofOb1: 'pml_ob1_posted_recvq_length',
    name: 'posted_recvq_length',
    description: 'Receives in a communicator that wait for each peer; those from any source are not counted',
  },
};

/** Throws QueryError where no queue is known. */
export async function pvarsOfMemory(process: MpiProcess): Promise<Pvar[]> {
  const { comms } = await queuesByComm(process, true);
  const isOb1 = process.implementation.messageLayer === 'ob1';
  const ofQueue = async (queue: Queue): Promise<Pvar> => {
    const { ofOb1, name, description } = variables[queue];
    return {
      ...{ name: isOb1 ? ofOb1 : name, description, class: 'SIZE', datatype: 'MPI_UNSIGNED', bind: 'COMM' },
      ...{ verbosity: 'USER_BASIC', readonly: true, continuous: true, atomic: false, origin: 'memory' },
      instances: await Promise.all(comms.map(({ info, queues }) => instanceOf(info, queues.comm, queues[queue]))),
    };
  };
  return [await ofQueue('unexpected'), await ofQueue('posted')];
}

async function instanceOf(
  info: CommInfo,
  object: NonNullable<PvarInstance['object']>,
  items: Known<QueueItem[]>,
): Promise<PvarInstance> {
  const values = isUnavailable(items) ? items : await known(() => lengths(peersOf(info), items));
  return { object, started: true, count: isUnavailable(values) ? 0 : values.length, values };
}

function peersOf({ size, remoteSize }: CommInfo): number {
  const peers = remoteSize ?? size;
  if (isUnavailable(peers)) throw new QueryError(peers.code, peers.reason);
  return peers;
}

function lengths(peers: number, items: readonly QueueItem[]): number[] {
  const counted = new Array<number>(peers).fill(0);
  for (const { peer } of items) {
    if (isUnavailable(peer)) throw new QueryError(peer.code, peer.reason);
    if (typeof peer === 'number' && peer in counted) counted[peer]!++;
  }
  return counted;
}
