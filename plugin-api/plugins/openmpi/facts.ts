/** Facts about Open MPI that need no process. */
import type { MpiFacts } from '../../mpi/facts';
import { librariesBelow } from '../../mpi/libraries-below';
import { launchers } from './launcher';

export const facts = {
  name: 'openmpi',
  title: 'Open MPI',
  // libmpi.so.12 is MPICH's, libmpi.so.40 is Open MPI's.
  libraries:
    /\/openmpi\d*\/mca_\w+\.so|\/lib(mpi(_cxx|_java|_mpifh|_usempi\w*)?\.so(?!\.1\d\b)|(open-\w+|open_mpi|oshmem|mca_common_\w+|prrte)\.so)/,
  objectLibraries: /\/lib(mpi|open_mpi)\.so(?!\.1\d\b)/,
  below: librariesBelow,
  messageFiles: /^\/tmp\/ompi/,
  programMarks: {
    versionSymbols: ['ompi_version_string'],
    // From the answer of MPI_Get_library_version, and a name of its internals.
    texts: ['Open MPI v', 'ompi_mpi_init'].map((text) => ({ title: 'Open MPI', text })),
  },
  launchers,
  processManagers: ['pmix'],
  environment: {
    // Its own first, then those of PMIx, which other launchers may set too.
    rank: ['OMPI_COMM_WORLD_RANK', 'PMIX_RANK'],
    size: ['OMPI_COMM_WORLD_SIZE'],
    world: ['PMIX_NAMESPACE'],
    // The port of the rank that called MPI_Comm_spawn: "NAMESPACE.RANK:NUMBER".
    parentWorld: { variable: 'OMPI_PARENT_PORT', pattern: /^(.+)\.\d+:/ },
    host: ['PMIX_HOSTNAME'],
    local: ['OMPI_COMM_WORLD_LOCAL_RANK', 'OMPI_COMM_WORLD_LOCAL_SIZE'],
    prefixes: ['OMPI_', 'PMIX_'],
  },
  // Compilers drop the typedef in std::vector<MPI_Comm>.
  handleStructs: {
    ompi_communicator_t: 'comm',
    ompi_datatype_t: 'datatype',
    ompi_errhandler_t: 'errhandler',
    ompi_file_t: 'file',
    ompi_group_t: 'group',
    ompi_info_t: 'info',
    ompi_message_t: 'message',
    ompi_op_t: 'op',
    ompi_request_t: 'request',
    ompi_instance_t: 'session',
    ompi_win_t: 'win',
  },
  errors: {
    places: {
      ompi_errhandler_invoke: 'handled',
      ompi_mpi_errors_are_fatal_comm_handler: 'unhandled',
      ompi_mpi_errors_are_fatal_win_handler: 'unhandled',
      ompi_mpi_errors_are_fatal_file_handler: 'unhandled',
      ompi_mpi_errors_are_fatal_instance_handler: 'unhandled', // since 5.0
      ompi_mpi_abort: 'abort',
    },
    fatal: ['ompi_mpi_errors_are_fatal', 'ompi_mpi_errors_abort'],
    returns: 'ompi_mpi_errors_return',
    objectTypes: { 1: 'comm', 2: 'win', 3: 'file', 4: 'session' },
  },
  // MPI_Finalize jumps to the first.
  finalizers: /^(ompi_mpi_finalize|ompi_finalize_f)$/i,
} as const satisfies MpiFacts;
