/** What a process has told of its own end, before it ended: adapter/collector/deaths/record.h has the contract of each field. */
import type { Registers } from '../processor/registers';

import type { CallbackException, PythonFrame } from './python-text';

/** What a floating point operation can do wrong, in the order of their flags. zero: a division by zero that makes an infinity. */
export const floatKinds = ['invalid', 'zero', 'overflow'] as const;
export type FloatKind = (typeof floatKinds)[number];

/**
 * mpiEnds: by MPI_Abort or a fatal error, in a library that does not tell which. float: a floating point operation, which would have gone on by
 * itself. pythonException: one that nothing caught, after which Python waits in MPI_Finalize. sanitizer: of the compiler, -fsanitize=address. other: of a library that is newer than we are.
 */
export type DeathKind =
  | 'signal'
  | 'mpiError'
  | 'mpiAbort'
  | 'assert'
  | 'abort'
  | 'terminate'
  | 'pureVirtual'
  | 'fortranStop'
  | 'fortranErrorStop'
  | 'fortranError'
  | 'exit'
  | 'return'
  | 'mpiEnds'
  | 'float'
  | 'pythonException'
  | 'sanitizer'
  | 'other';

/** Which function of MPI has failed, and where the library's function that calls the handler returns to: the stack has that frame if it still runs. */
export interface ErrorHandling {
  /** "MPI_Recv"; "": not known. */
  function: string;
  caller: bigint;
  stackPointer: bigint;
  /** The stack shows that no handler of the program's own runs: MPI itself was ending the process for the error. */
  isOfMpi?: true;
}

/** What an MPI error was about. */
export type DeathObject = 'comm' | 'win' | 'file' | 'session';

export interface Death {
  kind: DeathKind;
  /** As the process sees them. */
  pid: number;
  tid: number;
  /** Nanoseconds of a clock that the processes of a host share. */
  time: bigint;
  /** In MPI_COMM_WORLD, as the launcher's environment says. */
  rank: number | undefined;
  /** up: since MPI_Init, or a session's; over: since MPI_Finalize; unknown: no MPI is seen in the process. */
  mpi: 'before' | 'up' | 'over' | 'unknown';
  /** The exit status or MPI_Abort's code. */
  status: number | undefined;
  /** `sender`: the pid of the process that sent it; undefined: the processor raised it. */
  signal: { number: number; code: number; address: bigint; sender: number | undefined } | undefined;
  /** A handler of the program's own ran for the signal, and ends the process. */
  handlerExits: boolean;
  /** An error of MPI went to an error handler of the program's own, which seems to run still. */
  ownHandler: ErrorHandling | undefined;
  /** MPI_Abort was given the code of `error`, which this function had returned; "": it is not known which. */
  returnedBy: string | undefined;
  /** The thread was handling the exception that is told. */
  isInCatch: boolean;
  /** The stack of the thread has no room left. */
  isStackFull: boolean;
  /** It is no death: the operation is told, and the process goes on. */
  goesOn: boolean;
  /** Where the stack of this death begins. undefined: nothing is known. */
  stack: { address: bigint; registers: Registers; isCaller: boolean } | undefined;
  /** As the program has it: an address, or 32 bits, above which there may be anything; isFortran: an INTEGER, of which 0 is one. */
  object: { kind: DeathObject; handle: bigint; isFortran: boolean } | undefined;
  /** class: as the library's mpi.h numbers them. */
  error: { code: number; class: number | undefined; text: string } | undefined;
  /** What the instruction alone does; empty for other kinds. */
  floatKinds: readonly FloatKind[];
  /** Return address of the exception's throw. */
  thrown: bigint | undefined;
  /** A function that runs at exit has ended the process by this call, which would return to `address`: "_exit". */
  left: { address: bigint; status: number; function: string } | undefined;
  /** For the C++ exception that nothing caught, or that is being handled: where the object and its std::type_info lie. */
  exception: { object: bigint; typeInfo: bigint } | undefined;
  /** As C++ has it; "" where unknown: `type` is mangled. */
  typeName: string;
  /**
   * For a program in Python, the innermost frame first: where the thread is, or, where Python has been taken down (isOver), what it printed last of
   * an exception. callback: what has left a function that MPI has called, so that mpi4py calls MPI_Abort. undefined: it is none, or nothing is known.
   */
  python:
    { isOver: boolean; frames: readonly PythonFrame[]; exception?: string; callback?: CallbackException } | undefined;
  /** Texts of the process, as it had them; "" where unknown. function: "MPI_Recv". */
  function: string;
  words: string;
  /** The type of an exception, as the C++ ABI mangles it. */
  type: string;
  /** The last that it wrote to standard error. */
  tail: string;
}
