/** What the messages of an operation over an intercommunicator tell of it, where what the call was given is lost. */
import type { QueueItem } from '../mpi/queue-records';
import { isUnavailable } from '../result';
import { isGathering, isRooted, operationOf } from './calls';
import type { ProcessState } from './job-state';
import type { RankPosition } from './position';

/**
 * Over the intercommunicator itself one who is not the root exchanges messages with the root alone, and the root alone does what a
 * root does: it sends what it spreads, and receives what it gathers.
 */
export function withRootOfMessages(state: ProcessState): ProcessState {
  return { ...state, positions: state.positions.map((position) => withRoot(state, position)) };
}

function withRoot({ comms, queues }: ProcessState, position: RankPosition): RankPosition {
  const { call = '', comm, root } = position;
  if (!isUnavailable(root) || comm === undefined || isUnavailable(comm) || !isRooted(call)) return position;
  if (comms.find(({ handle }) => handle === comm.handle)?.remoteProcs === undefined) return position;
  const pending = queues.find((each) => each.comm.handle === comm.handle);
  const [asRoot, asOther] = isGathering(call) ? (['posted', 'sends'] as const) : (['sends', 'posted'] as const);
  const isOfCall = ({ collective }: QueueItem): boolean => collective === operationOf(call);
  const ofRoot = pending?.[asRoot] ?? [];
  if (!isUnavailable(ofRoot) && ofRoot.some(isOfCall)) return { ...position, root: 'MPI_ROOT' };
  const items = pending?.[asOther] ?? [];
  if (isUnavailable(items)) return position;
  const peers = items.filter(isOfCall).map(({ peer }) => peer);
  const [named] = peers;
  return peers.length === 1 && typeof named === 'number' ? { ...position, root: named } : position;
}
