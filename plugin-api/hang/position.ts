/** A position: which MPI call a thread is in, with its arguments. The rules of records.ts hold here too. */
import type { CodeRef } from '../mpi/code-ref';
import type { HandleRef, Hex, Known, RankId } from '../mpi/records';
import type { Leaving } from './leaving';

/**
 * blocked: in a call that may wait for other ranks. polling: in one that asks whether something is complete and returns, or in a loop that reads
 * memory until it changes.
 * running: in the program's own code, or in a call that waits for nobody. ended: the process has exited, or is about to.
 */
export type PositionState = 'blocked' | 'polling' | 'running' | 'finalizing' | 'ended' | 'unknown';

/**
 * What a call was given. peer: of a call that both sends and receives, to whom; of one on a window, the target. Absent: the
 * call has no such argument.
 */
export interface CallArguments {
  comm?: Known<HandleRef>;
  /** The communicator that the rank in `peer` counts in, of MPI_Intercomm_create. */
  peerComm?: Known<HandleRef>;
  peer?: Known<number | 'MPI_ANY_SOURCE' | 'MPI_PROC_NULL'>;
  tag?: Known<number | 'MPI_ANY_TAG'>;
  /** From whom a call receives that sends too, and with which tag. */
  source?: Known<number | 'MPI_ANY_SOURCE' | 'MPI_PROC_NULL'>;
  receiveTag?: Known<number | 'MPI_ANY_TAG'>;
  root?: Known<number | 'MPI_ROOT' | 'MPI_PROC_NULL'>;
  /** In the order of the program's array; null handles are left out. */
  requests?: Known<HandleRef[]>;
  win?: Known<HandleRef>;
  file?: Known<HandleRef>;
  /** The group that MPI_Comm_create_group or MPI_Win_start is for: ranks of MPI_COMM_WORLD. */
  members?: Known<number[]>;
  /** For MPI_Intercomm_create: the rank in its group that meets the other group. */
  leader?: Known<number>;
  /**
   * What it gives to others in a collective operation and takes from them, in the order of the communicator's members or of its
   * edges; a single one: to or from each of them, or the root. Not shown.
   */
  gives?: Known<Block[]>;
  takes?: Known<Block[]>;
  /** What all members have to pass alike, of MPI_Bcast and reductions. Not shown. */
  amount?: Known<Block[]>;
}

/** "4 MPI_INT". A block without bytes is not sent at all. */
export interface Block {
  count: number;
  datatype: string;
  bytes: Known<number>;
}

/** What a thread that is outside MPI, while another one of its process waits inside, may still do. */
export interface OutsideMpi {
  /**
   * Whether its code, from where it is, calls a function of MPI that others may wait for, and the first one found; unknown: it calls
   * through pointers, as interpreters do. never with `wakes`: it calls none, but what may wake another thread.
   */
  callsMpi: { kind: 'never'; wakes?: true } | { kind: 'unknown' } | { kind: 'may'; call: string };
  /** The call that it waits in; undefined: it computes. */
  sleep?: Sleep;
  /** The C library has started it, as for timers: it starts threads that run functions of the program. */
  isOfCLibrary?: true;
}

export interface Sleep {
  /** "nanosleep" */
  call: string;
  /** Where it was called: the return address. */
  from: string;
  /**
   * none: until somebody acts, whom MPI does not make act. for: so many seconds at most, again and again if it is in a loop. until: a
   * moment, told by the number of seconds that are left and one that differs for each moment. unknown: it has a limit, or a signal or
   * another process may end it.
   */
  limit:
    | { kind: 'none' | 'unknown' }
    | { kind: 'for'; seconds: number }
    | { kind: 'until'; seconds: number; moment: string };
}

export interface SystemWait {
  /** "read" */
  call: string;
  /** What it waits for, as it follows "waits": "for its standard input (descriptor 0, a pipe from hydra_pmi_proxy)"; undefined: that is not known. */
  what?: string;
  /** The process, on its host, that has the lock for which it waits. */
  holder?: number;
}

/** A wait in the C library, or in OpenMP's runtime, that only another thread of the process ends. */
export interface OwnThreadWait {
  /** "pthread_mutex_lock", without leading underscores; "GOMP_critical_start", as compilers name what directives of OpenMP call. */
  call: string;
  /** The kernel's number of the thread that holds the lock, or that has to end, as the lock or the joined thread keeps it. */
  on?: number;
  /** That thread has ended with the lock. */
  hasEnded?: true;
}

/** What a thread outside MPI reads in a loop that ends only when one of them changes; none: the code has no way out of the loop. */
export interface PolledMemory {
  places: PolledPlace[];
  /** The line of the source where the thread is, which names what has no name otherwise; missing: it is not known, or newer than the program. */
  line?: string;
}

export interface PolledPlace {
  address: Hex;
  bytes: number;
  /** What it holds, unsigned and decimal; missing: it cannot be read. */
  value?: string;
  /** The global variable that it lies in, so many bytes behind its beginning, and how long that is. */
  variable?: { name: string; offset: number; bytes: number };
  /** Whether others see what one process writes there; missing: not known. */
  isShared?: boolean;
  /** For shared memory: the file, by its device and inode, and the place in it. */
  file?: { id: string; path: string; offset: string };
}

/** The innermost loop around a thread, which reads a window. */
export interface FetchingLoop {
  /** What it reads with: "MPI_Get". */
  call: string;
  /** The address where its code begins. */
  loop: string;
}

/** The first thread of each rank and every other one that is inside MPI. */
export interface RankPosition extends RankId, CallArguments {
  /** 1: the rank's first. */
  thread: number;
  /** The kernel's number of it. */
  tid?: number;
  state: PositionState;
  /** "MPI_Recv", without a leading P, as the C binding spells it. */
  call?: string;
  /** "halo.c:88": the innermost frame of the program that has a line; see LibraryCode. */
  where?: string;
  code?: CodeRef;
  /** The innermost function of a header that the program has called MPI through: "wrap::get" at "wrap.hpp:3". */
  through?: { function: string; where: string };
  /** What the program has called, of a library that calls MPI, and its file: "H5Dwrite". */
  library?: { function: string; file?: string };
  /** It is on its way out of the program. */
  leaving?: Leaving;
  /** Why something of it is unknown. */
  reason?: string;
  /** For a thread that polls and is between two questions: the calls that it asks with, one at least. Not shown. */
  asks?: readonly string[];
  /** For a thread in a loop that has no other aim in MPI, wherever in it the thread is. Not shown. */
  fetches?: FetchingLoop;
  /** For a thread that is blocked: another one where it has come out of its call meanwhile, and into it again. Not shown. */
  own?: string;
  /** For a thread that polls memory. */
  polls?: PolledMemory;
  /** The system call that a thread in its own code is in, if that may wait for somebody else. */
  waitsIn?: SystemWait;
  /** For a thread that is blocked and in no call of MPI. */
  waitsOn?: OwnThreadWait;
  /** Not shown. */
  outside?: OutsideMpi;
}

/** It reads a window in a loop, maybe until what is in it changes. */
export function pollsWindow({ state, fetches }: RankPosition): boolean {
  return state === 'polling' && fetches !== undefined;
}
