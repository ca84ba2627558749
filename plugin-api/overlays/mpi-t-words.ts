/** The words of MPI_T, in the order of mpi.h: the collector translates each library's numbers into places in these lists. */
import { CorruptError } from '../result';
import type { Bind, PvarClass, Scope, Verbosity } from './records';

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

/** Throws CorruptError. */
export function wordOf<T>(words: readonly T[], place: number, what: string): T {
  const word = words[place];
  if (word === undefined) throw new CorruptError(`${what} is none that the MPI standard has`);
  return word;
}
