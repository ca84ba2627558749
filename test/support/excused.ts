/**
 * What a library does not keep, though the program knows it: the answer "unavailable" is right there, and a fact of its
 * own. Nothing else is excused.
 */
import type { Code, HandleKind } from '../../plugin-api/mpi/records';
import type { Fields } from './comparison';
import type { Mpi } from './sample-job';

interface Excuse {
  mpi: Mpi;
  kind: HandleKind;
  fields: string[];
  /** Which objects: by what was told of them. */
  when: (told: Fields) => boolean;
  /** The one code, or the one other value, that is right instead. */
  instead: { code: Code } | { value: unknown };
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

const excuses: Excuse[] = [
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['operation'],
    when: ({ operation }) => operation === 'commDup',
    instead: { value: 'collective' },
    because: 'a duplication is one of the nonblocking collectives, which MPICH does not tell apart',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['count', 'datatype'],
    when: (told) => isTransfer(told) && !isPersistent(told) && !hasGaps(told),
    instead: notKept,
    because: 'UCX is given the bytes of a contiguous transfer only, and MPICH keeps nothing of it',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['comm', 'peer', 'peerWorldRank', 'tag', 'buffer', 'count', 'datatype', 'bytes'],
    when: (told) => isTransfer(told) && !isPersistent(told) && told['complete'] === true,
    instead: gone,
    because: 'UCX frees its request when the transfer is complete, and with it all that is known of it',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['status'],
    when: ({ operation }) => operation === 'generalized',
    instead: gone,
    because: 'the program tells the status when it is asked for it, and not before',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['file', 'buffer', 'count', 'datatype', 'bytes'],
    when: ({ operation }) => operation === 'io',
    instead: notKept,
    because: 'ROMIO keeps neither its file nor the arguments of the call in the request of a file operation',
  },
  {
    mpi: 'mpich',
    kind: 'errhandler',
    fields: ['attachedTo'],
    when: ({ flags }) => (flags as string[]).includes('file'),
    instead: notKept,
    because: 'ROMIO has no list of open files',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['sendMode'],
    when: (told) => told['operation'] === 'send',
    instead: notKept,
    because: 'MPICH keeps no mode of a send; of a persistent one it does not tell ready from standard',
  },
  {
    mpi: 'mpich',
    kind: 'request',
    fields: ['tag'],
    when: ({ operation }) => operation === 'partitionedSend',
    instead: notKept,
    because: 'the tag of a partitioned send is sent when it is made, and not kept',
  },
  {
    mpi: 'openmpi',
    kind: 'request',
    fields: ['file', 'buffer', 'count', 'datatype', 'bytes'],
    when: ({ operation }) => operation === 'io',
    instead: notKept,
    because: 'the request of a file operation refers to neither its file nor the arguments of the call',
  },
  {
    mpi: 'openmpi',
    kind: 'request',
    fields: ['comm'],
    when: ({ operation }) => operation === 'commDup',
    instead: notKept,
    because: 'the request of a duplication has a schedule of functions, and no communicator',
  },
  {
    mpi: 'openmpi',
    kind: 'win',
    fields: ['lastSync'],
    when: isOutsideEpochs,
    instead: notKept,
    because: 'an epoch that has ended leaves no trace of the call that ended it',
  },
  {
    mpi: 'openmpi',
    kind: 'win',
    fields: ['epoch'],
    when: (told) => told['flavor'] === 'shared' && isOutsideEpochs(told),
    instead: notKept,
    because: 'in shared memory a fence leaves no trace, so that no epoch looks like that of a fence',
  },
  {
    mpi: 'mpich',
    kind: 'win',
    fields: ['lastSync'],
    when: () => true,
    instead: notKept,
    because: 'MPICH keeps the state of the epochs, not the last call',
  },
  {
    mpi: 'mpich',
    kind: 'win',
    fields: ['comm'],
    when: () => true,
    instead: notKept,
    because: 'a window has a private duplicate of its communicator, which does not say of which one',
  },
  {
    mpi: 'mpich',
    kind: 'file',
    fields: ['comm'],
    when: () => true,
    instead: notKept,
    because: 'ROMIO has a private duplicate of its communicator, which does not say of which one',
  },
];

/** Whether `actual` is right although MPI or the program told something else. */
export function isExcused(
  mpi: Mpi | undefined,
  kind: HandleKind,
  field: string,
  told: Fields,
  actual: unknown,
): boolean {
  return excuses.some((excuse) => {
    if (excuse.mpi !== mpi || excuse.kind !== kind || !excuse.fields.includes(field) || !excuse.when(told))
      return false;
    const { instead } = excuse;
    return 'value' in instead ? actual === instead.value : (actual as Fields | undefined)?.['code'] === instead.code;
  });
}
