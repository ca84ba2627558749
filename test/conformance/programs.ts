import type { Mpi } from '../support/sample-job';

export interface ConformanceProgram {
  name: string;
  /** The file of samples/ that holds the marker "all communicators made". */
  source: string;
  /** How many ranks its launcher starts. */
  ranks: number;
  /** It starts more processes itself: they are in the job too, with a world of their own, and have no truth. */
  spawns: boolean;
  /** How many facts its ranks give at least: a suite that compares nothing must not pass. */
  atLeast: number;
}

/** Open MPI has more facts than MPICH: its duplicates of MPI_COMM_WORLD have a copy of the predefined attributes. */
const facts: Record<Mpi, Record<string, number>> = {
  openmpi: {
    communicators: 4970,
    'communicators-f90': 1776,
    'communicators-f08': 2348,
    dlopened: 492,
    spawn: 216,
  },
  mpich: {
    communicators: 3950,
    'communicators-f90': 1404,
    'communicators-f08': 1976,
    dlopened: 408,
    'communicators-static': 3950,
  },
};

const sources: Record<string, string> = {
  communicators: 'communicators.c',
  'communicators-f90': 'communicators.f90',
  'communicators-f08': 'communicators-f08.f90',
  'communicators-static': 'communicators.c',
  dlopened: 'dlopened-part.c',
  spawn: 'spawn.c',
};

/** The samples that tell their truth, for this MPI. */
export function conformancePrograms(mpi: Mpi): ConformanceProgram[] {
  return Object.entries(facts[mpi]).map(([name, atLeast]) => {
    const source = sources[name];
    if (source === undefined) throw new Error(`no source is known of ${name}`);
    const spawns = name === 'spawn';
    return { name, source, ranks: spawns ? 2 : 4, spawns, atLeast };
  });
}
