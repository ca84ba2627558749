/** Which functions on a stack are calls of MPI. */

/** C's MPI_Send and PMPI_Send, Fortran's mpi_send_ and mpi_send_f08_, and the same with PMPI. */
export function isMpiCall(name: string | undefined): boolean {
  return name !== undefined && /^(P?MPIX?_[A-Z]\w*|p?mpix?_[a-z0-9_]+_)$/.test(name);
}
