/**
 * A job: all ranks of a launch, an attach or a set of cores, through however many gdbs. It knows nothing of DAP. Job is
 * what its users do with it, JobHost what its source does (JobSource: launch, attach, cores); both are JobRecord.
 *
 * adapter/gdb/ takes a rank as GdbThreadGroup and a thread as GdbThread: stackListFrames(thread),
 * dataEvaluateExpression(thread, frame, text), varCreate(thread, frame, text), …
 */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Gdb } from '../gdb/gdb';
import type { Host } from '../hosts/host';
import type { StepKind } from '../gdb/mi/program-execution';
import type { Breakpoints } from './breakpoints';
import type { Clock } from './clock';
import type { Deaths } from './deaths';
import type { FloatTrapRequest } from './float-traps';
import type { GdbRanks, RankEvents } from './gdb-ranks';
import type { GdbSettings } from './gdb-settings';
import type { Rank, RankIdentity, RankThread } from './rank';
import type { RankStop } from './rank-stops';
import type { RanksOfWorld } from '../../plugin-api/answers/rank-set';

/** Text that the job printed. rank: undefined for the launcher's own output. */
export interface JobOutput {
  rank: number | undefined;
  /** If it is not the launcher's own; "?" where it is not known. */
  world?: string;
  stream: 'stdout' | 'stderr';
  /** Whole lines, with their line ends, except when a rank printed none for a while. */
  text: string;
}

/** How the launcher ended; for an attached job the end of its last process, without a status. */
export interface JobEnd {
  exitCode?: number;
  /** "SIGKILL" */
  signal?: string;
}

export interface JobEvents extends RankEvents {
  output: [JobOutput];
  /** A message for the user: one sentence. */
  message: [string];
  /** Once, the last event: nothing of the job is left. */
  ended: [JobEnd];
  /** A rank that was lost is about to be attached to again. What was known of its process may be wrong. */
  rankReturned: [Rank];
}

export interface StartOptions {
  /** Stop every rank at main, or at the Fortran main program. */
  stopAtEntry: boolean;
}

/** A file that could not be opened as a core file of the job; `reason` completes a sentence about it. */
export interface UnopenedCore {
  core: string;
  reason: string;
}

/** A rank of the job that nobody can look at. */
export interface AbsentRank extends Pick<RankIdentity, 'number' | 'world' | 'hasOtherWorlds' | 'host'> {
  pid: number;
  /** Why its process cannot be attached to, a sentence; undefined: it has ended, and its parent has not waited for it. */
  refused?: string;
}

/** What differs between the sources of a job. */
export interface JobSource {
  readonly kind: 'launch' | 'attach' | 'core';
  /** The MPIs that the session knows. */
  readonly plugins: PluginRegistry;
  /** Starts the held ranks. */
  start(options: StartOptions): Promise<void>;
  /**
   * Ends everything that was started, and leaves everything else as it was found. `leaveRunning`: a launched job runs
   * on too, without its output being read. Idempotent.
   */
  release(leaveRunning?: boolean): Promise<void>;
  /** See Job. A source whose job prints elsewhere has none. */
  holdOutput?(until: Promise<void>): void;
  /**
   * The hosts of these ranks, which were lost with them, are in reach again, and they run: it takes them up. Absent: no rank is on
   * another host. Never rejects.
   */
  takeBack?(ranks: readonly Rank[]): Promise<void>;
  /** See Job. A source whose ranks do not run has none. */
  reportsWatchpoints?(rank: Rank): Promise<boolean | undefined>;
}

/** A job as its users have it. */
export interface Job {
  readonly kind: JobSource['kind'];
  /** The MPIs that the session knows. */
  readonly plugins: PluginRegistry;
  /** Ascending rank, unknown ranks last. */
  readonly ranks: readonly Rank[];
  /** In the order of their ranks, each rank's first thread first. */
  readonly threads: readonly RankThread[];
  readonly breakpoints: Breakpoints;
  readonly deaths: Deaths;
  /**
   * Whether the stop of a rank that is about to die is shown; default: always. The rank is held meanwhile, but what it is asked
   * must not take long. Never rejects.
   */
  concerns: (stop: RankStop) => Promise<boolean>;
  /** Those that have not ended. */
  readonly gdbs: readonly Gdb[];
  /** What all of them are told. */
  readonly settings: GdbSettings;
  /** Core files that could not be opened, and why. */
  readonly unopened: readonly UnopenedCore[];
  readonly absent: readonly AbsentRank[];
  readonly clock: Clock;

  thread(id: number): RankThread | undefined;

  /** All ranks, or those of the set, by default of the launcher's own world. Throws RankSetError when the job has no such rank. */
  select(ranks?: readonly RanksOfWorld[]): readonly Rank[];

  /**
   * Has gdb read the symbols of stopped ranks again if their files have changed since. Resolves with the ranks whose symbols it has read.
   */
  reviewSymbols(ranks: readonly Rank[]): Promise<readonly Rank[]>;

  /** Starts the held ranks; for attached processes and core files, emits their stops. */
  start(options: StartOptions): Promise<void>;

  /** Continues those of the ranks that are stopped. */
  continue(ranks: readonly Rank[]): Promise<void>;

  /** Steps those of the ranks that are stopped: `thread` in its own rank, in the others the thread that stopped last. */
  step(ranks: readonly Rank[], kind: StepKind, thread?: RankThread): Promise<void>;

  /** Continues this thread alone: the other threads of its rank stay where they are. */
  continueThread(thread: RankThread): Promise<void>;

  /** Steps this thread alone: the other threads of its rank stay where they are. */
  stepThread(thread: RankThread, kind: StepKind): Promise<void>;

  /** Stops those of the ranks that run; their 'stopped' events follow. */
  interrupt(ranks: readonly Rank[]): Promise<void>;

  /** Which floating point operations stop ranks; replaces what was asked for before. Answers why it is not so in some rank. */
  trapFloats(request: FloatTrapRequest): Promise<string | undefined>;

  /** Ends the session: see JobSource.release. The 'ended' event comes before this resolves. */
  release(leaveRunning?: boolean): Promise<void>;

  /**
   * Whether the processor of the rank's host reports that watched memory was written: on some virtual machines it never does.
   * undefined: it cannot be told. Never rejects.
   */
  reportsWatchpoints(rank: Rank): Promise<boolean | undefined>;

  /** What the job prints is not read until then; ranks that print much wait meanwhile, as they do for a slow terminal. */
  holdOutput(until: Promise<void>): void;

  /** Call this after a gdb command of the user in this rank: it may have taken processes from gdb. */
  commandRan(rank: Rank): void;

  /** 'stopped', 'continued', 'threadStarted', 'threadEnded', 'rankEnded', 'rankReturned', 'output', 'message' and, as the last one, 'ended'. */
  on<Name extends keyof JobEvents>(event: Name, listener: (...args: JobEvents[Name]) => void): unknown;
  off<Name extends keyof JobEvents>(event: Name, listener: (...args: JobEvents[Name]) => void): unknown;
}

/** The job as its source sees it: its members, and what only the source knows. */
export interface JobHost extends Pick<Job, 'ranks' | 'gdbs' | 'breakpoints' | 'on' | 'off'> {
  /** Before the process is attached to, or the core opened. */
  addRank(identity: RankIdentity, gdb: Gdb, threadGroup: string): Rank;

  /** Adds a gdb on this host and applies the job's settings to it. Rejects with GdbLostError. */
  addGdb(gdb: Gdb, host: Host): Promise<void>;

  /** It was lost, and this gdb is about to attach to it. */
  returned(rank: Rank, gdb: Gdb, threadGroup: string): void;

  /** That could not be done: it is lost as before. */
  notReturned(rank: Rank): void;

  /** These ranks, which are lost, are to be taken up when their host is in reach once more. */
  awaitReturn(ranks: readonly Rank[]): void;

  /** A rank that has come to the job while it runs, and is held: all that the user asked for applies to it. Rejects with GdbError. */
  include(rank: Rank): Promise<void>;

  /** It could not be opened, and is not a rank. */
  removeRank(rank: Rank): void;

  /** There are several MPI_COMM_WORLDs now: the one of each rank, as far as it is known. */
  setWorlds(worlds: ReadonlyMap<Rank, string | undefined>): void;

  /** What moves and holds the ranks of its gdb. */
  group(of: Rank): GdbRanks;

  /** Every process that is alive runs on without its gdb. `whenHeld`: see detachRanks. */
  detachAll(whenHeld?: (rank: Rank) => Promise<void>): Promise<void>;

  /** These core files could not be opened. */
  setUnopened(cores: readonly UnopenedCore[]): void;

  /** These ranks could not be attached to. */
  setAbsent(ranks: readonly AbsentRank[]): void;

  /** A message for the user: one sentence. */
  tell(message: string): void;

  /** The job has printed text. */
  printed(output: JobOutput): void;

  /** Everything has ended. */
  ended(end: JobEnd): void;
}
