/** Which functions on a stack are calls of MPI. */
import { withoutParameters } from '../../../plugin-api/function-name';
import { mpiRoutine, mpiSpelling } from '../../../plugin-api/fortran/bindings';

/** C's MPI_Send and PMPI_Send, Fortran's mpi_send_ and mpi_send_f08_, and the same with PMPI. */
export function isMpiCall(name: string | undefined): boolean {
  return name !== undefined && (isCBinding(name) || /^p?mpix?_[a-z0-9_]+_$/.test(name));
}

/** MPI_Send and PMPI_Send alone. */
export function isCBinding(name: string | undefined): boolean {
  return name !== undefined && /^P?MPIX?_[A-Z]\w*$/.test(name);
}

/** As the program calls it: gdb tells the alias PMPI_Send for MPI_Send, and the C library's own names. */
export function plainName(name: string | undefined): string {
  if (name === undefined) return '??';
  return withoutParameters(name.replace(/^PMPI(?=X?_)/, 'MPI').replace(/^__GI_(?:___?(?:libc_)?)?/, ''));
}

/** The routine in C's spelling, also where Fortran calls MPI: mpi_recv_, pmpi_recv__ and mpi_recv_f08_ are MPI_Recv. */
export function nameOfCall(name: string | undefined): string {
  const routine = isMpiCall(name) ? /^p?(mpi_[a-z0-9_]+?)(?:_f08|_f08ts)?_{1,2}$/.exec(name ?? '')?.[1] : undefined;
  return routine === undefined ? plainName(name) : mpiSpelling(routine);
}

/**
 * The call that a symbol is a binding of, in C's spelling: of C, of Fortran in any of its spellings, or by the name that a library of MPI has for its
 * function itself, as symbols are found by address: ompi_recv_f. undefined: of none.
 */
export function callOfBinding(name: string): string | undefined {
  const [, routine] = /^(?:p?mpi|ompi|pmpir|mpir)(x?_\w+?)(?:_f|_f08|_f08ts)?_{0,2}$/.exec(name.toLowerCase()) ?? [];
  const inFortran = `mpi${routine}`;
  if (routine !== undefined && mpiRoutine(inFortran) !== undefined) return mpiSpelling(inFortran);
  return isMpiCall(name) ? nameOfCall(name) : undefined;
}
