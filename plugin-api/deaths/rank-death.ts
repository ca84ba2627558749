/** Deaths of ranks, with what a look has found of them and of the other ranks. */
import type { FloatTrap } from './float-trap';
import type { Death } from './death';
import type { ProcessState } from '../hang/job-state';
import type { RankId, StackNode } from '../mpi/records';

/**
 * An argument of a call of MPI. `text`: the value, a handle by its name; `number`: an integer's value; `size`: a datatype's, in bytes; `ranks`: those
 * that there are to talk to in a communicator.
 */
export interface PassedArgument {
  name: string;
  text: string;
  number?: number;
  size?: number;
  ranks?: number;
}

/**
 * A frame of the program. `by`: the call of MPI that it made, which has called the function of the frame before it: an operation, say. isInterrupted:
 * that function is a handler of a signal, which came while this one was running.
 */
export type DeathFrame = StackNode['frame'] & { by?: string; isInterrupted?: true };

export interface RankDeath {
  id: RankId;
  death: Death;
  /** The program's frames, the innermost first; empty: not known. */
  frames: readonly DeathFrame[];
  /** 1: the rank's first. */
  thread?: number;
  /** What an exception says that the rank itself could not ask. */
  what?: string;
  /** The exception would have left a function that lets none out: a destructor, say, or another noexcept function. */
  isBarred?: true;
  /** Where the exception was thrown; missing where that is not known, or the stack begins there. */
  thrownAt?: DeathFrame;
  /** Where a function that runs at exit has ended the process, as `death.left` tells. */
  leftAt?: DeathFrame;
  /** Another rank that has sent it the signal. */
  sender?: RankId;
  /** It has touched what lies below its stack. */
  isStackFull?: boolean;
  /** Bytes that its stack would need, where one function asks for far more than there is. */
  stackNeeded?: number;
  /** Whether a thread of it was in MPI_Finalize; not known: missing. */
  isFinalizing?: boolean;
  /**
   * The call of MPI that it dies in. In the order of the C binding; arguments that are not known are left out. errorArgument: what the rank could not
   * use is Fortran's ierror: it is not among the arguments at all, or an address that may be wrong because another one is not.
   */
  call?: { call: string; passed: readonly PassedArgument[]; errorArgument?: 'missing' | 'unusable' };
  /** "MPI_ERR_TRUNCATE"; of an error in a request of several, that one's (isInStatus). */
  errorClass?: string;
  isInStatus?: boolean;
  /** What MPI_Abort was called on. */
  comm?: string;
  /** A message that does not fit: in elements of the datatype of its receive, or bytes. */
  truncated?: { message: number; buffer?: number; unit: 'elements' | 'bytes' };
  /** What a floating point operation that ends a rank was about to compute, or why that is not known; neither: there was no time. */
  trap?: FloatTrap;
  untold?: string;
  /** The message that a receive has failed with: rank and tag of its sender, and what the receive was given where its request is known. */
  failedReceive?: { source: number; tag: number; passed: readonly PassedArgument[] };
  /** Where no frame of the program is known: the file of the code that failed, or its function. */
  library?: string;
}

/**
 * Those of the program: not of Python's and mpi4py's own ways to start it, nor in mpi4py, and from the innermost on that is in no installed module, if
 * there is one.
 */
export function pythonFrames({ python }: Death): RankDeath['frames'] {
  const all = [...(python?.callback?.frames ?? []), ...(python?.frames ?? [])];
  const frames = all.filter(({ source }) => !/^<frozen |(^|\/)mpi4py\//.test(source));
  const own = frames.findIndex(({ source }) => !/\/lib\d*\/python3[^/]*\//.test(source));
  return frames.slice(Math.max(0, own));
}

export interface SeenDeaths {
  /** In the order of their time. */
  deaths: readonly RankDeath[];
  /** The states of all ranks that were looked at, those that die included. */
  states: readonly ProcessState[];
  /** How long the others were held, in milliseconds. */
  held: number;
  /** Why nothing was read of any rank: the end of a sentence. */
  unread?: string;
}

/** Whether this process is one of those that die. */
export function isAmong(deaths: readonly RankDeath[], { pid, host }: RankId): boolean {
  return pid !== undefined && deaths.some(({ id }) => id.pid === pid && id.host === host);
}
