/** Plain words for names and values of records, for all output except JSON, which keeps those of records.ts. */
import type { DescribedField } from './describe';
import { operationNames } from './describe-details';

type Words = Readonly<Record<string, string>>;

const labels: Words = {
  bufferPlace: 'buffer is',
  basePlace: 'base is',
  unknownFlags: 'flags that this MPI does not record',
  fortranHandle: 'Fortran handle',
  lb: 'lower bound',
  trueLb: 'true lower bound',
  trueExtent: 'true extent',
  amode: 'access mode',
  disp: 'displacement',
  dispUnit: 'displacement unit',
  localProcs: 'ranks in MPI_COMM_WORLD',
  remoteProcs: 'remote ranks in MPI_COMM_WORLD',
  procs: 'ranks in MPI_COMM_WORLD',
  peerWorldRank: 'peer in MPI_COMM_WORLD',
  cart: 'cartesian grid',
  distGraph: 'distributed graph',
};

const flags: Words = {
  distGraph: 'distributed graph',
  topoReordered: 'ranks reordered for the topology',
  intercomm: 'intercommunicator',
  dynamic: 'with spawned or connected processes',
  freedHandle: 'handle freed',
  freedObject: 'freed, but still in use',
  cCallback: 'calls a C function',
  noLocks: 'no locks',
  messageNoProc: 'MPI_MESSAGE_NO_PROC',
  groupEmpty: 'MPI_GROUP_EMPTY',
  ...Object.fromEntries(
    ['comm', 'datatype', 'errhandler', 'file', 'group', 'info', 'message', 'op', 'request', 'session', 'win'].map(
      (kind) => [`${kind}Null`, 'null'],
    ),
  ),
};

const values: Readonly<Record<string, Words>> = {
  operation: operationNames,
  flavor: { create: 'MPI_Win_create', allocate: 'MPI_Win_allocate' },
  access: { lockAll: 'lock all' },
  lastSync: { lockAll: 'lock all' },
};

const capabilities: Words = {
  BASIC: 'basic fields',
  STRING_NAMES: 'names',
  FREED_HANDLE: 'freed handles',
  FREED_OBJECT: 'freed objects',
  REQUEST_LIST: 'pending requests',
  WINDOW_LIST: 'windows',
  FILE_LIST: 'files',
  HANDLE_LIST: 'objects that use it',
};

/** A field and its children with plain words for names and values. */
export function inWords({ name, text, children, ...rest }: DescribedField): DescribedField {
  const isFlags = name === 'flags' || name === 'unknownFlags';
  const inside = isFlags
    ? children.map((flag) => ({ ...flag, text: flags[flag.text] ?? flag.text }))
    : children.map(inWords);
  return { ...rest, name: fieldInWords(name), text: values[name]?.[text] ?? text, children: inside };
}

/** What a plugin with this capability decodes. */
export function capabilityInWords(capability: string): string {
  return capabilities[capability] ?? capability;
}

export function fieldInWords(name: string): string {
  return labels[name] ?? spaced(name);
}

/** "pendingRequests" as "pending requests"; an element's index as it is. */
function spaced(name: string): string {
  return /^[a-z]+([A-Z][a-z]+)+$/.test(name) ? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;
}
