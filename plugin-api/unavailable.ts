/** What stands where something cannot be known: the codes of mpidbg, and the reason in words. */

export type Code =
  | 'MPIDBG_SUCCESS'
  | 'MPIDBG_ERR_NOT_FOUND'
  | 'MPIDBG_ERR_NOT_SUPPORTED'
  | 'MPIDBG_ERR_OUT_OF_RANGE'
  | 'MPIDBG_ERR_UNAVAILABLE'
  | 'MPIDBG_ERR_NO_MEM';

/**
 * OUT_OF_RANGE: a Fortran index outside its table, an MPICH index outside its pool. NOT_FOUND: wrong kind bits or class,
 * not live, corrupt.
 */
export interface Unavailable {
  code: Exclude<Code, 'MPIDBG_SUCCESS'>;
  reason: string;
}

export type Known<T> = T | Unavailable;
