/** MPICH's kinds of requests. */
import type { RequestInfo } from '../../mpi/records';
import type { StructValues } from '../../struct';
import type { requestSpec } from './specs';

type Request = StructValues<typeof requestSpec>;

export type RequestKind =
  | 'undefined'
  | 'send'
  | 'receive'
  | 'persistentSend'
  | 'persistentReceive'
  | 'persistentCollective'
  | 'partitionedSend'
  | 'partitionedReceive'
  | 'partition'
  | 'enqueued'
  | 'generalized'
  | 'collective'
  | 'message'
  | 'rma';

const commonKinds: readonly RequestKind[] = [
  'undefined',
  'send',
  'receive',
  'persistentSend',
  'persistentReceive',
  'persistentCollective',
  'partitionedSend',
  'partitionedReceive',
  'partition',
];
const furtherKinds: readonly RequestKind[] = ['generalized', 'collective', 'message', 'rma'];

export function requestKind(request: Request): RequestKind {
  return kindsOf(request)[request.kind] ?? 'undefined';
}

/** Whether MPICH has such a kind: no other number is ever in a request. */
export function hasKnownKind(request: Request): boolean {
  return kindsOf(request)[request.kind] !== undefined;
}

/** MPIR_Request_kind_t; 4.1 put MPIR_REQUEST_KIND__ENQUEUE before the last four. */
function kindsOf({ enqueued }: Request): readonly RequestKind[] {
  return [...commonKinds, ...(enqueued === undefined ? [] : ['enqueued' as const]), ...furtherKinds];
}

/** Whether it is an MPI_Message. */
export function isMessage(request: Request): boolean {
  return requestKind(request) === 'message';
}

export const operations: Readonly<Record<RequestKind, RequestInfo['operation']>> = {
  undefined: 'unknown',
  send: 'send',
  receive: 'receive',
  persistentSend: 'send',
  persistentReceive: 'receive',
  persistentCollective: 'collective',
  partitionedSend: 'partitionedSend',
  partitionedReceive: 'partitionedReceive',
  partition: 'unknown',
  enqueued: 'unknown',
  generalized: 'generalized',
  collective: 'collective',
  message: 'message',
  rma: 'rma',
};
