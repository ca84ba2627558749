/** What gdb sees of a death before it happens. */

/** The sorts of deaths that a process may be about to die. 'undecided': whether an error is fatal is not known. */
export type SeenDeathKind =
  'mpi-error' | 'mpi-error-returned' | 'undecided' | 'mpi-abort' | 'exit-without-finalize' | 'sanitizer';

/** What the script has seen of a thread that is about to end its process, or that has got an error from MPI. */
export interface SeenDeath {
  /** The number of its inferior: "i3" is 3. */
  inferior: number;
  /** gdb's global number of the thread. */
  thread: number;
  kind: SeenDeathKind;
  /** The thread has stopped for it. */
  stops: boolean;
  /** The function of ours that it was seen in. */
  place: string;
  /** The error's code, the argument of MPI_Abort, or the exit status; 0 for a sanitizer, whose status is not known. */
  code: number;
  /** The function of MPI that the library names in its message: "MPI_Recv", "internal_Recv". */
  function?: string;
  /** The object that the error is of, by its address, or the communicator that MPI_Abort was given, as it was passed. */
  object?: string;
  objectKind?: 'comm' | 'win' | 'file' | 'session';
  /** Who is told: the library's own handler that ends the job, the program by the call's result, a handler of the program. */
  handler?: 'fatal' | 'returns' | 'own';
  /** For the library's function that calls the program's own handler: where it returns to, and the stack pointer there. */
  handling?: { caller: string; stackPointer: string };
  /** What Fortran has said before it ended: `STOP 3`, or the message of a run-time error; what a sanitizer has found. */
  words?: string;
  /** For an exit: the file of the code that asks for it. */
  caller?: string;
  /** For an exit: by _exit, which runs nothing that the program has registered for its end. */
  isAtOnce?: true;
}
