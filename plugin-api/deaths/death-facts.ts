/** What is known of a rank that gdb holds because it is about to die, or has got an error from MPI. */
import type { HandleRef } from '../mpi/records';
import type { PassedArgument } from './rank-death';
import type { SeenDeath } from './seen-death';

/** What can be told without the stack. */
export interface FailedObject {
  /** "MPI_ERR_TRUNCATE"; undefined: not known, or no error of MPI. */
  errorClass: string | undefined;
  /** What the error is of, or the communicator of MPI_Abort. */
  object: HandleRef | undefined;
}

/** An error of a call of MPI. */
export interface CallFacts extends FailedObject {
  seen: SeenDeath;
  /** "MPI_Recv": the call that the thread is in, else the one that the library names; undefined: none. */
  call: string | undefined;
  /** What the call was given, as far as that is known. */
  passed: readonly PassedArgument[];
}

export interface DeathFacts extends CallFacts {
  /** It dies in an error handler of the program's own: for this error. */
  handled: CallFacts | undefined;
  /** "halo.c:88"; undefined: no function of the program is left on the stack, or it has no lines. */
  where: string | undefined;
  /** It exits because main has returned. */
  isAfterMain: boolean;
}
