/**
 * In Fortran, MPI_STATUS_IGNORE, MPI_IN_PLACE and the like are variables that MPI recognises by address, not by value:
 * the library exports them as common blocks or variables. Measured with Open MPI 4.1.4 and MPICH 4.0.2 of Debian 12 and
 * gfortran 12, for mpif.h and both modules.
 */
import type { ProcessImage } from '../image';

const module = '__mpi_f08_link_constants_MOD_';

/** Symbol and offset in it → constant. */
const names: ReadonlyMap<string, string> = new Map([
  // Open MPI, for mpif.h, mpi and mpi_f08.
  ['mpi_fortran_bottom_+0', 'MPI_BOTTOM'],
  ['mpi_fortran_in_place_+0', 'MPI_IN_PLACE'],
  ['mpi_fortran_status_ignore_+0', 'MPI_STATUS_IGNORE'],
  ['mpi_fortran_statuses_ignore_+0', 'MPI_STATUSES_IGNORE'],
  ['mpi_fortran_errcodes_ignore_+0', 'MPI_ERRCODES_IGNORE'],
  ['mpi_fortran_argv_null_+0', 'MPI_ARGV_NULL'],
  ['mpi_fortran_argvs_null_+0', 'MPI_ARGVS_NULL'],
  ['mpi_fortran_unweighted_+0', 'MPI_UNWEIGHTED'],
  ['mpi_fortran_weights_empty_+0', 'MPI_WEIGHTS_EMPTY'],
  // MPICH: common blocks in mpif.h and mpi,
  ['mpipriv1_+0', 'MPI_BOTTOM'],
  ['mpipriv1_+4', 'MPI_IN_PLACE'],
  ['mpipriv1_+8', 'MPI_STATUS_IGNORE'],
  ['mpipriv2_+0', 'MPI_STATUSES_IGNORE'],
  ['mpipriv2_+20', 'MPI_ERRCODES_IGNORE'],
  ['mpiprivc_+0', 'MPI_ARGVS_NULL'],
  ['mpiprivc_+1', 'MPI_ARGV_NULL'],
  ['mpifcmb5_+0', 'MPI_UNWEIGHTED'],
  ['mpifcmb9_+0', 'MPI_WEIGHTS_EMPTY'],
  // and variables of a module in mpi_f08.
  ['MPIR_F08_MPI_BOTTOM+0', 'MPI_BOTTOM'],
  ['MPIR_F08_MPI_IN_PLACE+0', 'MPI_IN_PLACE'],
  ['MPIR_F08_MPI_STATUS_IGNORE_OBJ+0', 'MPI_STATUS_IGNORE'],
  ['MPIR_F08_MPI_STATUSES_IGNORE_OBJ+0', 'MPI_STATUSES_IGNORE'],
  [`${module}mpi_errcodes_ignore+0`, 'MPI_ERRCODES_IGNORE'],
  [`${module}mpi_argv_null+0`, 'MPI_ARGV_NULL'],
  [`${module}mpi_argvs_null+0`, 'MPI_ARGVS_NULL'],
  [`${module}mpi_unweighted+0`, 'MPI_UNWEIGHTED'],
  [`${module}mpi_weights_empty+0`, 'MPI_WEIGHTS_EMPTY'],
]);

/** The constant at this address; undefined for any other address. */
export async function addressConstant(image: ProcessImage, address: bigint): Promise<string | undefined> {
  const symbol = await image.symbolAt(address);
  return symbol && names.get(`${symbol.name}+${address - symbol.address}`);
}
