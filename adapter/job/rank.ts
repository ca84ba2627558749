/** A rank (one MPI process) and its threads, read-only for other folders; only this folder writes them (RankRecord). */
import type { FloatTrap } from '../../plugin-api/deaths/float-trap';
import type { SeenDeath } from '../../plugin-api/deaths/seen-death';
import type { CxxEvent } from '../gdb/mi/breakpoint-commands';
import type { GdbThread, GdbThreadGroup } from '../gdb/mi/context';
import type { Gdb } from '../gdb/gdb';
import type { HostProcess } from '../hosts/host-process';
import type { CoreImage } from '../images/core/core-image';
import type { AbsentFile } from '../images/core/absent-files';
import type { ChangedFile, LoadedFile } from '../images/live/symbol-files';

/** A file of which nothing is known but what is left of it in the memory of the rank. */
export type LostFile = ChangedFile | AbsentFile;

/**
 * starting: held before its first instruction (launch), or being attached to; it cannot be queried yet. stopped: every
 * thread of the rank is stopped. lost: its gdb died; nothing is known any more, unless its host comes back.
 */
export type RankState = 'starting' | 'running' | 'stopped' | 'exited' | 'lost' | 'core';

export type StopReason = 'entry' | 'breakpoint' | 'step' | 'pause' | 'signal' | 'death' | 'attach' | 'unknown';

/** A breakpoint as a stop reports it. */
export interface HitBreakpoint {
  readonly id: number;
  readonly kind: 'function' | 'instruction' | 'data' | 'exception' | 'line';
  /** What C++ was about to do with an exception; undefined for other breakpoints. */
  readonly cxxEvent: CxxEvent | undefined;
}

/** Why one thread stopped. */
export interface ThreadStop {
  reason: StopReason;
  /** The user's breakpoints that were hit; empty for other reasons. */
  breakpoints: readonly HitBreakpoint[];
  /** Why the condition of the breakpoint could not be evaluated: it stopped for that, and does not a second time. */
  unevaluated?: string;
  /** The watched value, as gdb prints it. */
  change?: { before: string | undefined; after: string | undefined };
  /** For reason 'death'. */
  death?: SeenDeath;
  /** What users are told of it, where that takes more than its reason. */
  words?: string;
  /** For reason 'signal': "SIGSEGV", "Segmentation fault". */
  signal?: { name: string; meaning: string };
  /** Instead of a signal: a trap that the user asked for. */
  floatingPoint?: FloatTrap;
}

/** How a rank ended. exitCode: exit(3)'s argument; signal: "SIGSEGV"; neither: its gdb died before it could tell. */
export interface RankEnd {
  exitCode?: number;
  signal?: string;
  /** While its host was out of reach. */
  whileAway?: true;
}

/** Where a rank comes from. */
export interface RankIdentity {
  /** In MPI_COMM_WORLD; null when the process does not tell. */
  number: number | null;
  /** True when nothing but the name of its core file tells the number. */
  isFromFileName?: boolean;
  /** Empty where a core file does not tell. */
  host: string;
  pid?: number;
  /** A live process in reach. */
  process?: HostProcess;
  /** Path of the core file (state 'core'). */
  core?: string;
  /** What a core file's memory is read through. */
  image?: CoreImage;
  /** Size of MPI_COMM_WORLD as the launcher told the process. */
  worldSize?: number | undefined;
  /** The state in which it was when it was attached to, as in proc(5): "R", "S", "T", … */
  foundAs?: string;
  /** Which MPI_COMM_WORLD: see worlds.ts. undefined: the only one, or nobody tells. */
  world?: string | undefined;
  /** There are others where it comes from, whether or not they are in this job. */
  hasOtherWorlds?: boolean;
}

/** What a thread is, as far as its name and its stack tell. */
export interface ThreadRole {
  /** As pthread_setname_np or the kernel gave it. */
  name: string | undefined;
  /** The software that the thread belongs to: "UCX", "Open MPI". Undefined: the program. */
  helperOf: string | undefined;
}

export interface RankThread extends GdbThread {
  /** Unique and never used again: the DAP thread id. */
  readonly id: number;
  readonly rank: Rank;
  readonly gdb: Gdb;
  /** gdb's global thread number, for --thread. */
  readonly gdbThread: number;
  readonly state: 'running' | 'stopped';
  /** Undefined until the rank has stopped once with it. */
  readonly role: ThreadRole | undefined;
  /** The last stop; undefined while running, and for a thread that only stopped because its rank did. */
  readonly stop: ThreadStop | undefined;
}

/** True when stacks and variables of the rank can be read: none of its threads runs. */
export function canBeRead({ state }: Rank): boolean {
  return state === 'stopped' || state === 'core';
}

/** Its session may take it up again. */
export function mayReturn({ isAway, process }: Rank): boolean {
  return isAway && process?.host.reach !== 'gone';
}

export interface Rank extends GdbThreadGroup {
  readonly gdb: Gdb;
  readonly number: number | null;
  readonly isFromFileName: boolean;
  readonly host: string;
  readonly pid: number | undefined;
  /** The process on its host; undefined for a core file or a process that is out of reach. */
  readonly process: HostProcess | undefined;
  readonly core: string | undefined;
  readonly image: CoreImage | undefined;
  readonly worldSize: number | undefined;
  readonly world: string | undefined;
  readonly hasOtherWorlds: boolean;
  /** Its program and libraries when gdb last read their symbols, which it does when some have come; undefined: not yet, or a core file. */
  readonly loadedFiles: readonly LoadedFile[] | undefined;
  /** Files of which nothing is read, so that no breakpoint can be set in them. */
  readonly lostFiles: readonly LostFile[];
  /** Whether gdb sees at once what the rank loads from now on; else at its next stop. */
  readonly seesLoads: boolean;
  /** The state of a process that was attached to, when it was found. */
  readonly foundAs: string | undefined;
  readonly state: RankState;
  readonly end: RankEnd | undefined;
  /** In order of creation: the first is the one that called main. Empty once the rank has ended. */
  readonly threads: readonly RankThread[];
  /** The thread whose stop was published last: what a step of the whole rank acts on. */
  readonly current: RankThread | undefined;
  /** "rank 3", "rank 3 of world 0.1", or "process 4711" where the rank is not known. */
  readonly label: string;
  readonly alive: boolean;
  /** It was lost because its host went out of reach. */
  readonly isAway: boolean;
  /** It was so once, and is in the session again: it is long past its entry. */
  readonly hasReturned: boolean;
  /** Every thread of it is stopped, whether or not that has been published. */
  readonly isHeld: boolean;
}
