import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mpi } from '../support/sample-job';

export interface ConformanceProgram {
  name: string;
  /** The file of samples/ that holds the marker. */
  source: string;
  /** "all communicators made": where a breakpoint stops with all handles in view. */
  marker: string;
  /** How many ranks its launcher starts. */
  ranks: number;
  /** It starts more processes itself: they are in the job too, with a world of their own, and have no truth. */
  spawns: boolean;
  /** How many facts its ranks give at least: a suite that compares nothing must not pass. */
  atLeast: number;
  /** How many handles are asked for as Fortran variables by their bare names, where the program says which handles they are; 0: none are asked for. */
  bareAtLeast: number;
}

/**
 * Open MPI has more facts than MPICH: its duplicates of MPI_COMM_WORLD have a copy of the predefined attributes, and its
 * complete requests still hold their arguments. MPICH's number of requests' facts differs from run to run: a send that
 * is complete at once may have a request or share the library's.
 */
const facts: Record<Mpi, Record<string, number>> = {
  openmpi: {
    communicators: 4970,
    'communicators-f90': 1776,
    'communicators-f08': 2348,
    polymorphic: 800,
    dlopened: 492,
    spawn: 216,
    topologies: 3920,
    renamed: 5900,
    alone: 2796,
    datatypes: 15300,
    requests: 4363,
    handles: 2294,
    'handles-f90': 1620,
    'handles-f08': 1620,
    'handles-mpif': 1524,
    windows: 1880,
    files: 1012,
    ...(hasCxxBindings('openmpi') ? { 'cxx-objects': 2360 } : {}),
  },
  mpich: {
    communicators: 3950,
    'communicators-f90': 1404,
    'communicators-f08': 1976,
    polymorphic: 800,
    dlopened: 408,
    'communicators-static': 3950,
    topologies: 3268,
    'topologies-static': 3268,
    renamed: 5800,
    alone: 3100,
    datatypes: 15284,
    requests: 4500,
    handles: 2262,
    'handles-f90': 1580,
    'handles-f08': 1580,
    'handles-mpif': 1484,
    windows: 1748,
    files: 932,
    ...(hasCxxBindings('mpich') ? { 'cxx-objects': 2172 } : {}),
  },
};

/** Open MPI 5 and MPICH 4.3 have no C++ bindings any more: there is nothing to decode. */
function hasCxxBindings(mpi: Mpi): boolean {
  const headers = { openmpi: 'openmpi/include/openmpi/ompi/mpi/cxx/mpicxx.h', mpich: 'mpich/mpicxx.h' };
  const folders = ['/usr/lib', '/usr/include'].flatMap((top) => readdirSync(top).map((folder) => join(top, folder)));
  return folders.some((folder) => existsSync(join(folder, headers[mpi])));
}

const sources: Record<string, string> = {
  'communicators-f90': 'communicators.f90',
  'communicators-f08': 'communicators-f08.f90',
  'communicators-static': 'communicators.c',
  'topologies-static': 'topologies.c',
  polymorphic: 'polymorphic.f90',
  'handles-f90': 'handles.f90',
  'handles-f08': 'handles-f08.f90',
  'handles-mpif': 'handles-mpif.f90',
  'cxx-objects': 'cxx-objects.cpp',
  dlopened: 'dlopened-part.c',
};

const markers: Record<string, string> = {
  topologies: 'all topologies made',
  'topologies-static': 'all topologies made',
  renamed: 'all renamed',
  alone: 'all posted',
  datatypes: 'all datatypes made',
  polymorphic: 'all objects there',
  requests: 'all requests made',
  handles: 'all handles made',
  'handles-f90': 'all handles made',
  'handles-f08': 'all handles made',
  'handles-mpif': 'all handles made',
  'cxx-objects': 'all objects made',
  windows: 'all windows made',
  files: 'all files opened',
};

/** How many facts there are about variables without a word on what they are, under each MPI: the program's own calls or the declared types say it. */
const bareFacts: Record<string, number> = {
  'communicators-f90': 1240,
  'communicators-f08': 80,
  'handles-f90': 1360,
  'handles-f08': 5,
  'handles-mpif': 1260,
};

/** The samples that tell their truth, for this MPI. */
export function conformancePrograms(mpi: Mpi): ConformanceProgram[] {
  return Object.entries(facts[mpi]).map(([name, atLeast]) => {
    const spawns = name === 'spawn';
    return {
      name,
      source: sources[name] ?? `${name}.c`,
      marker: markers[name] ?? 'all communicators made',
      ranks: spawns ? 2 : 4,
      spawns,
      atLeast,
      bareAtLeast: bareFacts[name] ?? 0,
    };
  });
}

/** What makes Open MPI's messages go through UCX, as on most clusters with InfiniBand, on any machine. */
export function ucxOptions(): string[] {
  const messages = { pml: 'ucx', pml_ucx_tls: 'any', pml_ucx_devices: 'any' };
  // Since 5.0.0 nothing else makes windows then.
  const windows = { osc: 'ucx', opal_common_ucx_tls: 'any', opal_common_ucx_devices: 'any' };
  const options = Object.entries({ ...messages, ...(openMpiMajor() >= 5 ? windows : {}) });
  return options.flatMap(([name, value]) => ['--mca', name, value]);
}

export function openMpiMajor(): number {
  const version = execFileSync('mpirun.openmpi', ['--version'], { encoding: 'utf8' });
  return Number(/\) (\d+)/.exec(version)?.[1]);
}

/** The facts of Open MPI's samples when UCX carries the messages: fewer of the requests. */
export const factsWithUcx: Record<string, number> = {
  communicators: 4970,
  datatypes: 15300,
  requests: 4211,
  handles: 2294,
  windows: 1888,
  files: 1012,
};
