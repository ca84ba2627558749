/** What the arguments of MPI's calls are to one who asks what a call waits for. */
import { mpiRoutine, type MpiArgument } from '../fortran/bindings';
import type { HandleKind } from '../mpi/records';

/** A handle. */
export interface ObjectRole {
  field: 'comm' | 'peerComm' | 'win' | 'file';
  kind: HandleKind;
  index: number;
  isPointer: boolean;
}

/** `index` in the C binding, from 0. isPointer: C passes the address of the handle, which the call may change. */
export type ArgumentRole =
  | ObjectRole
  | { field: 'requests'; kind: 'request'; index: number; isPointer: boolean }
  /** count: the index of the argument that says how many they are. */
  | { field: 'requests'; kind: 'request'; index: number; count: number }
  | { field: 'peer' | 'source'; index: number; isReceive: boolean }
  | { field: 'tag' | 'receiveTag'; index: number; isReceive: boolean }
  | { field: 'root' | 'leader'; index: number }
  | { field: 'members'; kind: 'group'; index: number; isPointer: false }
  | BlocksRole;

/**
 * Counts of a collective operation, with the arguments that belong to them; isList, areListed: one for each block. amount: what is neither
 * given nor taken by one member alone.
 */
export interface BlocksRole {
  field: 'gives' | 'takes' | 'amount';
  index: number;
  isList: boolean;
  datatype: number;
  areListed: boolean;
  /** The buffer that is given: MPI_IN_PLACE there makes the rest meaningless. */
  buffer?: number;
}

/** `call`: "MPI_Recv", also of large counts. C's arguments are Fortran's without the error at their end. */
export function argumentRoles(call: string): readonly ArgumentRole[] {
  const routine = call.toLowerCase();
  const bindings = mpiRoutine(routine) ?? [];
  const names = bindings.map(({ name }) => name);
  return bindings.flatMap((argument, index) => roleOf(argument, index, names, routine) ?? []);
}

function roleOf(
  { name, kind, isArray, isSet }: MpiArgument,
  index: number,
  names: readonly string[],
  routine: string,
): ArgumentRole | undefined {
  const isPointer = isSet;
  const isRead = !isSet || takesAddress.test(routine);
  switch (name) {
    case 'comm':
    case 'comm_old':
    case 'local_comm':
    case 'intercomm':
      return kind === 'comm' && isRead ? { field: 'comm', kind, index, isPointer } : undefined;
    case 'peer_comm':
      return { field: 'peerComm', kind: 'comm', index, isPointer };
    case 'win':
      return isRead ? { field: 'win', kind: 'win', index, isPointer } : undefined;
    case 'fh':
      return isRead ? { field: 'file', kind: 'file', index, isPointer } : undefined;
    case 'request':
      return isRead ? { field: 'requests', kind: 'request', index, isPointer } : undefined;
    case 'array_of_requests':
      return isArray && isRead
        ? { field: 'requests', kind: 'request', index, count: names.findIndex((each) => /^(in)?count$/.test(each)) }
        : undefined;
    case 'group':
      return /^mpi_(comm_create_group|win_start)$/.test(routine)
        ? { field: 'members', kind: 'group', index, isPointer: false }
        : undefined;
    case 'local_leader':
      return { field: 'leader', index };
    case 'dest':
    case 'remote_leader':
      return { field: 'peer', index, isReceive: false };
    case 'rank':
    case 'target_rank':
      return names.includes('win') ? { field: 'peer', index, isReceive: false } : undefined;
    case 'source':
      return { field: names.includes('dest') ? 'source' : 'peer', index, isReceive: true };
    case 'tag':
      return { field: 'tag', index, isReceive: names.includes('source') };
    case 'sendtag':
      return { field: 'tag', index, isReceive: false };
    case 'recvtag':
      return { field: 'receiveTag', index, isReceive: true };
    case 'root':
      return { field: 'root', index };
    case 'sendcount':
    case 'sendcounts':
      return blocksRole('gives', 'send', name, index, names);
    case 'recvcount':
    case 'recvcounts':
      return (
        amountRole(name === 'recvcounts', index, names, routine) ?? blocksRole('takes', 'recv', name, index, names)
      );
    case 'count':
      return amountRole(false, index, names, routine);
    default:
      return undefined;
  }
}

/** What all members have to pass alike. undefined: of a call of two processes. */
function amountRole(isList: boolean, index: number, names: readonly string[], routine: string): BlocksRole | undefined {
  const datatype = names.indexOf('datatype');
  if (datatype < 0 || !/^mpi_(bcast|(all)?reduce|reduce_scatter(_block)?|(ex)?scan)(_c)?$/.test(routine))
    return undefined;
  return { field: 'amount', index, isList, datatype, areListed: false };
}

/** undefined: of a call of two processes. */
function blocksRole(
  field: BlocksRole['field'],
  side: 'send' | 'recv',
  name: string,
  index: number,
  names: readonly string[],
): BlocksRole | undefined {
  const areListed = names.includes(`${side}types`);
  const datatype = names.indexOf(areListed ? `${side}types` : `${side}type`);
  if (datatype < 0 || !names.includes('comm') || names.includes('dest')) return undefined;
  const counts = { field, index, isList: name.endsWith('s'), datatype, areListed };
  return field === 'gives' ? { ...counts, buffer: names.indexOf('sendbuf') } : counts;
}

/** They read a handle through the address that others set one at. */
const takesAddress =
  /^mpi_(comm_(free|disconnect)|win_free|file_close|request_free|start(all)?|(wait|test)(all|any|some)?)$/;
