/**
 * What a library does not keep, though the program knows it: the answer "unavailable" is right there, and a fact of its
 * own. Nothing else is excused.
 */
import type { Code, HandleKind } from '../../plugin-api/mpi/records';
import type { Fields } from './comparison';
import type { Mpi } from './sample-job';

/**
 * Open MPI keeps less of a transfer when UCX carries it, and nothing else tells of it where the plugin does not know that
 * UCX, as with Open MPI 6; of MPICH 5 the plugin knows less, and it keeps less.
 */
export type Library = Mpi | 'openmpi with ucx' | 'openmpi 6 with ucx' | 'mpich 5';

/** `library` as it is in this version. */
export function libraryOf(library: Library | undefined, version: string): Library | undefined {
  if (library === 'openmpi with ucx' && /^6\./.test(version)) return 'openmpi 6 with ucx';
  return library === 'mpich' && /^5\./.test(version) ? 'mpich 5' : library;
}

interface Excuse {
  libraries: Library[];
  kind: HandleKind;
  fields: string[];
  /** Which objects: by what was told of them. */
  when: (told: Fields) => boolean;
  /** The one code, with such a reason, or the one other value, that is right instead. */
  instead: { code: Code; reason?: RegExp } | { value: unknown };
  /** Why. */
  because: string;
}

const notKept = { code: 'MPIDBG_ERR_NOT_SUPPORTED' } as const;
const gone = { code: 'MPIDBG_ERR_UNAVAILABLE' } as const;

function isTransfer(told: Fields): boolean {
  return told['operation'] === 'send' || told['operation'] === 'receive';
}

function isPersistent(told: Fields): boolean {
  return (told['flags'] as string[]).includes('persistent');
}

/** "column" is the one datatype with gaps that requests.c transfers. */
function hasGaps(told: Fields): boolean {
  return (told['datatype'] as { name?: string } | undefined)?.name === 'column';
}

function isOutsideEpochs(told: Fields): boolean {
  const { access, exposure } = told['epoch'] as { access: string; exposure: string };
  return access === 'none' && exposure === 'none';
}

function isFenced(told: Fields): boolean {
  return (told['epoch'] as { access: string }).access === 'fence';
}

/** Messages there never leave the process. */
function isOnCommOfOne(told: Fields): boolean {
  const { name = '' } = (told['comm'] ?? {}) as { name?: string };
  return name === 'MPI_COMM_SELF' || name.startsWith('alone');
}

const newestUcx = "UCX 1.23, with which unstable's MPIs send, has no proven table";
const noTable = { ...notKept, reason: /no layout table for UCX 1\.23/ };

const excuses: Excuse[] = [
  {
    libraries: ['mpich', 'mpich 5'],
    kind: 'request',
    fields: ['peer', 'peerWorldRank'],
    when: (told) => told['operation'] === 'receive' && !isPersistent(told) && isOnCommOfOne(told),
    instead: { ...notKept, reason: /whether a receive is from 0 or from MPI_ANY_SOURCE/ },
    because: 'MPICH keeps no source of a receive that can be from the process itself only',
  },
  {
    libraries: ['openmpi 6 with ucx'],
    kind: 'request',
    fields: ['peer', 'peerWorldRank', 'tag', 'buffer', 'count', 'datatype', 'bytes'],
    when: (told) => isTransfer(told) && !isPersistent(told),
    instead: noTable,
    because: newestUcx,
  },
  {
    libraries: ['openmpi 6 with ucx'],
    kind: 'request',
    fields: ['operation'],
    when: (told) => isTransfer(told) && !isPersistent(told),
    instead: { value: 'unknown' },
    because: newestUcx,
  },
  {
    libraries: ['openmpi 6 with ucx'],
    kind: 'request',
    fields: ['sendMode'],
    when: (told) => isTransfer(told) && !isPersistent(told),
    instead: { value: undefined },
    because: `that it is a send is not known: ${newestUcx}`,
  },
  {
    libraries: ['openmpi 6 with ucx'],
    kind: 'message',
    fields: ['tag'],
    when: () => true,
    instead: noTable,
    because: newestUcx,
  },
  {
    libraries: ['mpich 5'],
    kind: 'request',
    fields: ['peer', 'peerWorldRank', 'tag', 'buffer', 'bytes'],
    when: (told) => isTransfer(told) && !isPersistent(told) && told['complete'] !== true,
    instead: noTable,
    because: newestUcx,
  },
  {
    libraries: ['mpich 5'],
    kind: 'request',
    fields: ['count', 'datatype'],
    when: (told) => isTransfer(told) && !isPersistent(told) && hasGaps(told),
    instead: noTable,
    because: newestUcx,
  },
  {
    libraries: ['mpich 5'],
    kind: 'message',
    fields: ['peer', 'tag', 'bytes'],
    when: () => true,
    instead: noTable,
    because: newestUcx,
  },
  {
    libraries: ['mpich 5'],
    kind: 'request',
    fields: ['peer', 'peerWorldRank', 'tag'],
    when: ({ operation }) => operation === 'partitionedReceive',
    instead: notKept,
    because: 'MPICH 5 keeps neither in the request of a partitioned receive',
  },
  {
    libraries: ['mpich 5'],
    kind: 'session',
    fields: ['threadLevel'],
    when: () => true,
    instead: notKept,
    because: 'MPICH 5 keeps one thread level for all sessions',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['operation'],
    when: ({ operation }) => operation === 'commDup',
    instead: { value: 'collective' },
    because: 'a duplication is one of the nonblocking collectives, which MPICH does not tell apart',
  },
  {
    libraries: ['mpich', 'openmpi with ucx'],
    kind: 'request',
    fields: ['count', 'datatype'],
    when: (told) => isTransfer(told) && !isPersistent(told) && !hasGaps(told),
    instead: notKept,
    because: 'UCX is given only the bytes of a contiguous transfer, and the MPI library keeps nothing of it',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['comm', 'peer', 'peerWorldRank', 'tag', 'buffer', 'count', 'datatype', 'bytes'],
    when: (told) => isTransfer(told) && !isPersistent(told) && told['complete'] === true,
    instead: gone,
    because: 'UCX frees its request when the transfer is complete, and with it all that is known of it',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['status'],
    when: ({ operation }) => operation === 'generalized',
    instead: gone,
    because: 'the program tells the status when it is asked for it, and not before',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['file', 'buffer', 'count', 'datatype', 'bytes'],
    when: ({ operation }) => operation === 'io',
    instead: notKept,
    because: 'ROMIO keeps neither its file nor the arguments of the call in the request of a file operation',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['win'],
    when: ({ operation }) => operation === 'rma',
    instead: notKept,
    because: 'MPICH 4.2 leaves the place for the window in the request empty; 4.0 fills it',
  },
  {
    libraries: ['mpich'],
    kind: 'errhandler',
    fields: ['attachedTo'],
    when: ({ flags }) => (flags as string[]).includes('file'),
    instead: { ...notKept, reason: /no layout of struct ADIOI_FileD/ },
    because: 'of the library for the standard ABI no table has the structs of ROMIO',
  },
  {
    libraries: ['openmpi with ucx'],
    kind: 'request',
    fields: ['operation'],
    when: (told) => isTransfer(told) && !isPersistent(told) && told['complete'] === true,
    instead: { value: 'unknown' },
    because: 'a message that had come before its receive leaves a request without a transfer of UCX',
  },
  {
    libraries: ['openmpi with ucx'],
    kind: 'request',
    fields: ['peer', 'peerWorldRank', 'tag', 'buffer', 'bytes'],
    when: (told) => isTransfer(told) && !isPersistent(told) && told['complete'] === true,
    instead: notKept,
    because: 'a message that had come before its receive leaves a request without a transfer of UCX',
  },
  {
    libraries: ['openmpi with ucx'],
    kind: 'request',
    fields: ['sendMode'],
    when: (told) => !isPersistent(told) && told['sendMode'] !== 'synchronous',
    instead: notKept,
    because: 'UCX knows a synchronous send; all others are the same to it',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['sendMode'],
    when: (told) => told['operation'] === 'send',
    instead: notKept,
    because: 'MPICH keeps no mode of a send; of a persistent one it does not tell ready from standard',
  },
  {
    libraries: ['mpich'],
    kind: 'request',
    fields: ['tag'],
    when: ({ operation }) => operation === 'partitionedSend',
    instead: notKept,
    because: 'the tag of a partitioned send is sent when it is made, and not kept',
  },
  {
    libraries: ['openmpi', 'openmpi with ucx'],
    kind: 'request',
    fields: ['file', 'buffer', 'count', 'datatype', 'bytes'],
    when: ({ operation }) => operation === 'io',
    instead: notKept,
    because: 'the request of a file operation refers to neither its file nor the arguments of the call',
  },
  {
    libraries: ['openmpi', 'openmpi with ucx'],
    kind: 'win',
    fields: ['lastSync'],
    when: () => true,
    instead: notKept,
    because: 'the library keeps the state of the epochs, not the last call',
  },
  {
    libraries: ['openmpi', 'openmpi with ucx'],
    kind: 'win',
    fields: ['epoch'],
    when: (told) => isOutsideEpochs(told) || isFenced(told),
    instead: { ...notKept, reason: /osc\/sm does not record fences/ },
    // Open MPI 4.1 has shared windows there, 5.0 allocated ones too.
    because: 'in shared memory a fence leaves no trace, so that no epoch looks like that of a fence',
  },
  {
    libraries: ['openmpi', 'openmpi with ucx'],
    kind: 'win',
    fields: ['epoch'],
    when: (told) => /^lock/.test((told['epoch'] as { access: string }).access),
    instead: { ...notKept, reason: /all ranks are locked shared.* osc\/sm/ },
    because: 'in shared memory MPI_Win_lock_all leaves what a shared lock of each rank leaves',
  },
  {
    libraries: ['mpich'],
    kind: 'win',
    fields: ['lastSync'],
    when: () => true,
    instead: notKept,
    because: 'MPICH keeps the state of the epochs, not the last call',
  },
  {
    libraries: ['mpich'],
    kind: 'win',
    fields: ['comm'],
    when: () => true,
    instead: notKept,
    because: 'a window has a private duplicate of its communicator, which does not say of which one',
  },
  {
    libraries: ['mpich'],
    kind: 'file',
    fields: ['comm'],
    when: () => true,
    instead: notKept,
    because: 'ROMIO has a private duplicate of its communicator, which does not say of which one',
  },
  {
    libraries: ['mpich'],
    kind: 'file',
    fields: ['view'],
    when: () => true,
    instead: { ...gone, reason: /displacements are negative, descend or overlap/ },
    because: 'where MPI_File_set_view refused a filetype, MPI_File_get_position tells such as -12',
  },
];

/** What is excused of a library is so of its later releases. */
function appliesTo(libraries: Library[], library: Library): boolean {
  const earlier: Partial<Record<Library, Library>> = { 'mpich 5': 'mpich', 'openmpi 6 with ucx': 'openmpi with ucx' };
  const before = earlier[library];
  return libraries.includes(library) || (before !== undefined && libraries.includes(before));
}

/** Whether `actual` is right although MPI or the program told something else. Without a library nothing is excused. */
export function isExcused(
  library: Library | undefined,
  kind: HandleKind,
  field: string,
  told: Fields,
  actual: unknown,
): boolean {
  if (library === undefined) return false;
  return excuses.some(({ libraries, kind: ofKind, fields, when, instead }) => {
    if (!appliesTo(libraries, library) || ofKind !== kind || !fields.includes(field) || !when(told)) return false;
    if ('value' in instead) return actual === instead.value;
    const { code, reason } = (actual ?? {}) as { code?: unknown; reason?: string };
    return code === instead.code && (instead.reason?.test(reason ?? '') ?? true);
  });
}
