/** Facts about MPICH, and about Intel MPI, MVAPICH and Cray MPICH, which derive from it, that need no process. */
import type { MpiFacts } from '../../mpi/facts';
import { librariesBelow } from '../../mpi/libraries-below';
import { launcherAndNumber, launchers, nameOfGroup } from './launcher';

export const facts = {
  name: 'mpich',
  title: 'MPICH',
  // Those that are compatible with its binary interface are libmpi.so.12; Cray's are named after the compiler.
  libraries:
    /\/lib(p?mpi\.so(\.1\d\b|(?!\.\d))|pmpi\.so|f?mpich\w*\.so|mpi(fort|cxx|f90)\w*\.so|mpi_(abi|amd|aocc|cray|gnu|ilp64|intel|mt|nvidia|pgi)(_\w+)?\.so)/,
  objectLibraries:
    /\/lib(p?mpi\.so(\.1\d\b|(?!\.\d))|pmpi\.so|mpich\.so|mpi_(abi|amd|aocc|cray|gnu|intel|nvidia|pgi)(_\w+)?\.so)/,
  below: librariesBelow,
  programMarks: {
    // The second is its name before 3.3.
    versionSymbols: ['MPII_Version_string', 'MPIR_Version_string'],
    // From the answers of MPI_Get_library_version, and names of variables that the environment can set.
    texts: [
      { title: 'Intel MPI', text: 'Intel(R) MPI Library' },
      { title: 'MPICH', text: 'MPICH Version:' },
      { title: 'MPICH', text: 'MPIR_CVAR_' },
    ],
  },
  launchers,
  // Without it each rank of srun is alone, "0 of 1", under --mpi=pmix too (4.0.2).
  processManagers: ['pmi2'],
  environment: {
    rank: ['PMI_RANK'],
    size: ['PMI_SIZE'],
    world: ['PMI_JOBID'],
    spawned: ['PMI_SPAWNED'],
    host: ['MPIR_CVAR_CH3_INTERFACE_HOSTNAME'],
    local: ['MPI_LOCALRANKID', 'MPI_LOCALNRANKS'],
    prefixes: ['PMI', 'MPI_', 'HYDRA_'],
    worldInHeap: { start: 'kvs_', pattern: nameOfGroup, launcherAndNumber },
  },
  errors: {
    places: { MPIR_Err_return_comm: 'comm', MPIR_Err_return_win: 'win' },
    // MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT.
    fatal: [0x54000000, 0x54000003],
    returns: 0x54000001,
    fatalBit: 0x80,
  },
} as const satisfies MpiFacts;
