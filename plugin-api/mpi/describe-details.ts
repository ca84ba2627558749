/** The details after a handle's name on its line, by kind: the few that users look for first. */
import { counted } from '../counted';
import { isUnavailable } from '../result';
import { bufferFaultText, bufferPlaceText } from './buffer-place';
import { datatypeStructure } from './datatype-structure';
import { describeRef, quoted, refName, typeNames, type DescribedRef } from './describe-ref';
import type { InfoOf } from './plugin';
import type {
  BufferPlace,
  Callback,
  CommInfo,
  DatatypeInfo,
  ErrhandlerInfo,
  FileInfo,
  GroupInfo,
  HandleKind,
  InfoInfo,
  Integer,
  Known,
  MessageInfo,
  OpInfo,
  RequestInfo,
  SessionInfo,
  StatusInfo,
  WinInfo,
} from './records';

/** The known details, in display order; unavailable ones appear only in the fields below the line. */
export function describeDetails<K extends HandleKind>(kind: K, info: InfoOf[K]): string[] {
  return describeColumns(kind, info).filter((detail) => detail !== '');
}

/** All details of the kind in a fixed order, so that lines can be aligned; '' for one that is missing. */
export function describeColumns<K extends HandleKind>(kind: K, info: InfoOf[K]): string[] {
  return detailsOf[kind](info);
}

/** What distinguishes an unnamed object from others of its kind in a list; '' if too little is known. */
export function describeInList<K extends HandleKind>(kind: K, info: InfoOf[K]): string {
  const columns = describeColumns(kind, info);
  switch (kind) {
    case 'request': {
      const [what, tag, , , state] = columns;
      return [what, tag, state === 'pending' ? '' : state].filter((word) => word !== '').join(' ');
    }
    case 'status':
      return columns.slice(0, 2).join(' ');
    case 'datatype':
      return columns[0] ?? '';
    default: {
      const first = columns.find((column) => column !== '');
      return first === undefined ? '' : `${typeNames[kind]} (${first})`;
    }
  }
}

type DetailsOf = { readonly [K in HandleKind]: (info: InfoOf[K]) => string[] };

const detailsOf: DetailsOf = {
  comm: commDetails,
  datatype: datatypeDetails,
  errhandler: errhandlerDetails,
  file: fileDetails,
  group: groupDetails,
  info: infoDetails,
  message: messageDetails,
  op: opDetails,
  request: requestDetails,
  session: sessionDetails,
  status: statusDetails,
  win: winDetails,
};

/** '' if the item is unknown. */
function when<T>(item: Known<T> | undefined, text: (value: T) => string): string {
  return item === undefined || isUnavailable(item) ? '' : text(item);
}

function commDetails(info: CommInfo): string[] {
  if (info.flags.includes('commNull')) return [];
  const { rank, size } = info;
  const rankAndSize = isUnavailable(size)
    ? `unavailable: ${size.reason}`
    : `rank ${isUnavailable(rank) ? '?' : rank} of ${size}`;
  return [
    info.flags.includes('internal') ? `internal${when(info.serves, (served) => `, for ${describeRef(served)}`)}` : '',
    rankAndSize,
    when(info.remoteSize, (remote) => `inter, remote ${remote}`),
    when(info.cart, ({ dims }) => `cart ${dims.join('×')}`),
    when(info.graph, ({ index }) => `graph of ${counted(index.length, 'node')}`),
    when(info.distGraph, (g) => `dist graph, ${g.sources.length} in, ${g.destinations.length} out`),
    info.flags.includes('freedHandle') ? 'freed, but still there' : '',
  ];
}

function datatypeDetails(info: DatatypeInfo): string[] {
  if (info.flags.includes('datatypeNull')) return [];
  const extents = when(info.extent, (extent) => (extent === info.size ? '' : `, extent ${extent}`));
  return [
    datatypeStructure(info),
    when(info.size, (size) => `${counted(size, 'byte')}${extents}`),
    when(info.typeMap, ({ holes }) => (holes > 0 ? `${counted(holes, 'byte')} of holes` : '')),
    info.flags.includes('predefined') || info.flags.includes('committed') ? '' : 'not committed',
    info.flags.includes('internal') ? 'internal' : '',
  ];
}

function errhandlerDetails(info: ErrhandlerInfo): string[] {
  return [callback(info.callback), when(info.attachedTo, ({ length }) => usage(length))];
}

function fileDetails(info: FileInfo): string[] {
  if (info.flags.includes('fileNull')) return [];
  return [
    when(info.filename, quoted),
    when(info.amode, (amode) => amode.join(' | ')),
    info.flags.includes('internal') ? 'internal' : '',
  ];
}

function groupDetails(info: GroupInfo): string[] {
  if (info.flags.includes('groupNull') || info.flags.includes('groupEmpty')) return [];
  const rank = when(info.rank, (own) => (own === 'MPI_UNDEFINED' ? 'not a member' : `rank ${own}`));
  return [when(info.size, (size) => `${rank} of ${size}`), info.flags.includes('internal') ? 'internal' : ''];
}

function infoDetails(info: InfoInfo): string[] {
  return [
    when(info.entries, (entries) => (entries.length === 0 ? 'no keys' : counted(entries.length, 'key'))),
    info.flags.includes('internal') ? 'internal' : '',
  ];
}

function messageDetails(info: MessageInfo): string[] {
  return [when(info.peer, (peer) => `from ${peer}`), when(info.tag, (tag) => `tag ${tag}`), when(info.bytes, inBytes)];
}

function opDetails(info: OpInfo): string[] {
  if (info.flags.includes('predefined')) return [];
  return [
    callback(info.callback),
    info.flags.includes('commutative') ? 'commutative' : 'not commutative',
    info.flags.includes('internal') ? 'internal' : '',
  ];
}

/** Words for operations whose value is neither an English word nor an MPI name. */
export const operationNames: Readonly<Partial<Record<RequestInfo['operation'], string>>> = {
  ...{ partitionedSend: 'partitioned send', partitionedReceive: 'partitioned receive' },
  ...{
    commDup: 'MPI_Comm_idup',
    sendReceive: 'send and receive',
    io: 'file operation',
    rma: 'RMA operation',
    empty: 'completed by its call',
    unknown: 'unknown operation',
  },
};

function typeOf(type: DescribedRef): string {
  if (type.structure !== undefined) return type.structure;
  return type.name === undefined ? `of MPI_Datatype ${type.handle}` : refName(type);
}

function commText(comm: DescribedRef): string {
  if (comm.structure !== undefined) return `on MPI_Comm ${comm.structure}`;
  if (comm.serves !== undefined) return `on internal communicator of ${describeRef(comm.serves)}`;
  return `on ${comm.name === undefined ? 'MPI_Comm ' : ''}${refName(comm)}`;
}

function requestDetails(info: RequestInfo): string[] {
  if (info.flags.includes('requestNull')) return [];
  const mode = when(info.sendMode, (name) => (name === 'standard' ? '' : `${name} `));
  const direction = /send$/i.test(info.operation) ? 'to' : 'from';
  const count = when(info.count, String);
  const amount = count === '' ? when(info.bytes, inBytes) : count;
  return [
    `${mode}${operationNames[info.operation] ?? info.operation}${when(info.peer, (peer) => ` ${direction} ${peer}`)}`,
    when(info.tag, (tag) => (typeof tag === 'string' ? tag : `tag ${tag}`)),
    when(info.comm, commText),
    [amount, count === '' ? '' : when(info.datatype, typeOf)].filter((word) => word !== '').join(' '),
    // Which says as much.
    info.operation === 'empty' ? '' : requestState(info),
    info.flags.includes('freedHandle') ? 'freed' : '',
    info.flags.includes('persistent') ? 'persistent' : '',
    info.flags.includes('internal') ? 'internal' : '',
    ...bufferDetails(info.bufferPlace),
  ];
}

/** Which variable it is, and what is wrong with it. */
function bufferDetails(place: BufferPlace | undefined): string[] {
  if (place === undefined) return ['', ''];
  const { expression, faults } = place;
  const variable = expression === undefined ? '' : `buffer ${bufferPlaceText(place)}`;
  return [variable, faults.map(bufferFaultText).join('; ')];
}

/** "pending"; "" where it is unknown. */
export function requestState(info: RequestInfo): string {
  if (info.flags.includes('cancelled')) return 'cancelled';
  if (info.complete === true) return 'complete';
  return when(info.active, (active) => (active ? 'pending' : 'inactive'));
}

function sessionDetails(info: SessionInfo): string[] {
  return [when(info.threadLevel, String)];
}

// Calls that complete one operation leave MPI_ERROR unchanged (MPI 4.1, 3.2.5): it is a field, but not in the line.
function statusDetails(info: StatusInfo): string[] {
  return [
    `source ${info.source}`,
    typeof info.tag === 'string' ? info.tag : `tag ${info.tag}`,
    when(info.bytes, inBytes),
    info.cancelled === true ? 'cancelled' : '',
  ];
}

function winDetails(info: WinInfo): string[] {
  if (info.flags.includes('winNull')) return [];
  return [
    when(info.flavor, String),
    when(info.bytes, inBytes),
    when(info.epoch, ({ access, exposure }) =>
      [access === 'none' ? '' : `access ${access}`, exposure === 'none' ? '' : `exposure ${exposure}`]
        .filter((part) => part !== '')
        .join(', '),
    ),
    ...bufferDetails(info.basePlace),
  ];
}

function callback(item: Known<Callback> | undefined): string {
  return when(item, ({ symbol, address }) => `calls ${symbol ?? address}`);
}

function inBytes(bytes: Integer): string {
  return counted(bytes, 'byte');
}

function usage(count: number): string {
  if (count === 0) return 'no object uses it';
  return `${counted(count, 'object')} ${count === 1 ? 'uses' : 'use'} it`;
}
