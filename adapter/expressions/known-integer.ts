/** What is known about the INTEGERs of a frame, some of which are MPI handles; fortran/ provides it. */
import type { HandleKind } from '../../plugin-api/mpi/records';

/** What is known of an INTEGER, and why: "read as: second argument of MPI_Comm_dup, halo.f90:31". */
export interface KnownInteger {
  /** null: the user says that it is not a handle, or reasons contradict each other. */
  kind: HandleKind | null;
  /** In one line; with every kind and its reason where they contradict each other. */
  because: string;
  isContradicted?: true;
  /** The source is not there that would tell. */
  isUntold?: true;
}

/** In one frame. undefined: nothing is known. */
export type KindOfVariable = (path: string) => Promise<KnownInteger | undefined>;

/** MPI's name for this value of a variable of one frame, "MPI_PROC_NULL". undefined: nothing proves that it is meant. */
export type NameOfNumber = (path: string, value: number) => Promise<string | undefined>;
