/**
 * What a process sends and receives as its calls and requests tell it: where the message layer's queues are not known, as with that of Omni-Path,
 * nothing else does.
 */
import type { RequestInfo } from '../mpi/records';
import { isUnavailable } from '../result';
import { kindOfCall } from './calls';
import type { Communicators } from './communicators';
import type { ProcessState } from './job-state';
import type { ToldMessage } from './message';
import type { RankPosition } from './position';

type Given = Pick<RankPosition, 'comm' | 'peer' | 'tag'>;
type Kind = 'send' | 'receive';

/** `at`: the process. Those without a communicator are left out. */
export function transfersOfCalls(process: ProcessState, at: number, comms: Communicators): ToldMessage[] {
  const { positions, requests } = process;
  const inCalls = positions.flatMap((position) => (position.state === 'blocked' ? sidesOf(position) : []));
  const pending = requests.flatMap((request) => {
    const { operation, flags, active, complete } = request;
    const isUnderWay = active !== false && complete !== true && !flags.includes('internal');
    return isUnderWay && isTransfer(operation) ? [{ kind: operation, given: request }] : [];
  });
  return [...inCalls, ...pending].flatMap(({ kind, given }) => transfer(kind, given, at, comms));
}

function isTransfer(operation: RequestInfo['operation']): operation is Kind {
  return operation === 'send' || operation === 'receive';
}

function sidesOf(position: RankPosition): { kind: Kind; given: Given }[] {
  const { call = '', comm, source, receiveTag } = position;
  const { kind } = kindOfCall(call);
  if (kind === 'send' || kind === 'receive') return [{ kind, given: position }];
  if (kind !== 'sendReceive') return [];
  const received = {
    ...(comm && { comm }),
    ...(source !== undefined && { peer: source }),
    ...(receiveTag !== undefined && { tag: receiveTag }),
  };
  return [
    { kind: 'send', given: position },
    { kind: 'receive', given: received },
  ];
}

function transfer(kind: Kind, { comm, peer, tag }: Given, at: number, comms: Communicators): ToldMessage[] {
  const on = comms.of(at, comm);
  if (on === undefined || peer === 'MPI_PROC_NULL') return [];
  const isKnown = typeof peer === 'number' || peer === 'MPI_ANY_SOURCE';
  const other = typeof peer === 'number' ? on.peers[peer] : undefined;
  if (typeof peer === 'number' && other === undefined) return [];
  return [
    {
      ...{ at, comm: on, isInternal: false, tag: isUnavailable(tag) ? undefined : tag },
      ...(kind === 'send' ? { queue: 'sends', from: at, to: other } : { queue: 'posted', from: other, to: at }),
      isVague: !isKnown || tag === undefined || isUnavailable(tag),
    },
  ];
}
