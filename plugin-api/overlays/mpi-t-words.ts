/** The words of MPI_T, in the order of mpi.h: the collector translates each library's numbers into places in these lists. */
import type { HandleKind } from '../mpi/records';
import { CorruptError } from '../result';
import type { Bind, EventSource, PvarClass, Safety, Scope, Verbosity } from './records';

export const pvarClasses: readonly PvarClass[] = [
  ...(['STATE', 'LEVEL', 'SIZE', 'PERCENTAGE', 'HIGHWATERMARK'] as const),
  ...(['LOWWATERMARK', 'COUNTER', 'AGGREGATE', 'TIMER', 'GENERIC'] as const),
];

export const binds: readonly Bind[] = [
  ...(['NO_OBJECT', 'COMM', 'DATATYPE', 'ERRHANDLER', 'FILE', 'GROUP'] as const),
  ...(['OP', 'REQUEST', 'WIN', 'MESSAGE', 'INFO', 'SESSION'] as const),
];

export const verbosities: readonly Verbosity[] = [
  ...(['USER_BASIC', 'USER_DETAIL', 'USER_ALL', 'TUNER_BASIC', 'TUNER_DETAIL', 'TUNER_ALL'] as const),
  ...(['MPIDEV_BASIC', 'MPIDEV_DETAIL', 'MPIDEV_ALL'] as const),
];

export const scopes: readonly Scope[] = ['CONSTANT', 'READONLY', 'LOCAL', 'GROUP', 'GROUP_EQ', 'ALL', 'ALL_EQ'];

export const orderings: readonly EventSource['ordering'][] = ['ORDERED', 'UNORDERED'];

/** From the lowest. */
export const safeties: readonly Safety[] = ['NONE', 'MPI_RESTRICTED', 'THREAD_SAFE', 'ASYNC_SIGNAL_SAFE'];

/** What is bound to such an object. */
export const kindOfBind: Partial<Record<Bind, HandleKind>> = {
  ...({
    COMM: 'comm',
    DATATYPE: 'datatype',
    ERRHANDLER: 'errhandler',
    FILE: 'file',
    GROUP: 'group',
    OP: 'op',
  } as const),
  ...({ REQUEST: 'request', WIN: 'win', MESSAGE: 'message', INFO: 'info', SESSION: 'session' } as const),
};

/** Throws CorruptError. */
export function wordOf<T>(words: readonly T[], place: number, what: string): T {
  const word = words[place];
  if (word === undefined) throw new CorruptError(`${what} is not defined by the MPI standard`);
  return word;
}
