/**
 * What is known about an MPI without reading memory of its processes: its files, its launcher, and the environment that
 * the launcher gives each rank. Facts are data or pure functions. All but the name are optional; a missing one matches
 * nothing.
 */
import type { BatchSystem } from '../batch/batch-system';
import type { HandleKind } from './records';
import type { WorldOrigin } from './worlds';

/** Software whose libraries and threads mpidbg distinguishes from the program's. */
export interface Software {
  /** "UCX": names the owner of its threads. */
  readonly title: string;
  /** Matches the paths of its libraries and components. */
  readonly libraries: RegExp;
}

/** How to recognise an MPI in the file of a program or library without running it. */
export interface ProgramMarks {
  /** Constant arrays that hold the version; they distinguish two MPIs whose libraries have the same SONAME. */
  readonly versionSymbols: readonly string[];
  /** For files without these symbols: a static program is linked with only what it uses, and may be stripped. */
  readonly texts: readonly { readonly title: string; readonly text: string }[];
}

/** How a launcher marks the output of ranks. */
export interface OutputTag {
  /** Arguments of the launcher that make it mark its output. A user never sees them. */
  readonly options?: readonly string[];
  /**
   * A global expression that matches one mark or one line end; its first group, or the one named "rank", is the rank, one named
   * "world" the launcher's number for its world.
   */
  readonly markOrEnd: RegExp;
  /** Matches an incomplete mark at the end of a text. */
  readonly beginning: RegExp;
  /** The worlds by the numbers in the marks: the launcher's own world, and the one with this key (WorldOrigin). */
  readonly worlds?: { readonly own: string; readonly numberOf: (key: string) => string | undefined };
}

/** What a launch asks of the launcher. */
export interface LaunchRequest {
  readonly ranks: number;
  /** The user's own arguments for the launcher. */
  readonly userArgs: readonly string[];
  /** Cores of this machine that may be used, not counting hardware threads. */
  readonly cores: number;
  /** The process managers of the program's MPI; undefined: that is not known. */
  readonly processManagers?: readonly string[] | undefined;
}

/** The options and variables that tell a launcher on which hosts to run ranks. */
export interface HostArguments {
  /** Matches options that take a list of hosts: "node1:4,node2:4". */
  readonly lists: RegExp;
  /** Matches options that take the name of a host file. */
  readonly files: RegExp;
  /** Environment variables that name a host file. */
  readonly variables?: readonly string[];
}

export interface AroundDaemon {
  /** For a rank of a daemon that serves several worlds: see RankEnvironment.worldInHeap. */
  readonly nameInHeap?: string | undefined;
  /** The arguments of other daemons of its launcher on its host. */
  readonly besides?: readonly (readonly string[])[];
}

export interface LauncherFacts {
  /** File names to look for, in this order; those that identify the MPI come first. */
  readonly names: readonly string[];
  /** Its other processes between launcher and ranks; their environment may look like a rank's. */
  readonly daemons?: readonly string[];
  /**
   * The MPI_COMM_WORLD that a daemon with these arguments serves, where its ranks are not told, and the one whose rank
   * spawned it. undefined: it does not tell.
   */
  readonly worldOf?: (daemonArguments: readonly string[], around?: AroundDaemon) => WorldOrigin | undefined;
  /** The Debian and Ubuntu package that contains it. */
  readonly package?: string;
  /** Matches the file name after resolving all links, if no other launcher has it. */
  readonly file?: RegExp;
  /** Matches the name of a library that it is linked with. */
  readonly needs?: RegExp;
  /** Texts in its file, or in a wrapper script, each of which identifies it. */
  readonly texts?: readonly string[];
  /** Matches the output of --version. */
  readonly version?: RegExp;
  /** Environment variables that it needs when root starts it. */
  readonly rootEnvironment?: Readonly<Record<string, string>>;
  /** Arguments inserted before the user's launcher arguments. */
  readonly options?: (request: LaunchRequest) => string[];
  /**
   * Arguments inserted before each program, so that its ranks get these variables of the launcher's environment, on
   * other hosts too. undefined: ranks get all variables.
   */
  readonly forward?: (names: readonly string[]) => string[];
  /** undefined: it is not known how it runs ranks on other hosts. */
  readonly hosts?: HostArguments;
  /**
   * Arguments, to be followed by the program, that start one process on each of these hosts and reach the hosts as a
   * running launcher with the arguments `args` does. undefined: unknown.
   */
  readonly onePerHost?: (args: readonly string[], hosts: readonly string[]) => string[];
  /** The number of values that follow an option; undefined: unknown. */
  readonly valuesBehind?: (option: string) => number | undefined;
  /**
   * Arguments, to be followed by another program than this, that give the job the name it would have had; none where the user has named it.
   * undefined: it takes no name from programs.
   */
  readonly jobName?: (
    program: string,
    given: { args: readonly string[]; env: Readonly<Record<string, string | undefined>> },
  ) => string[];
  /** undefined: it does not mark the output. */
  readonly outputTag?: OutputTag;
}

/** Names of the environment variables that tell a rank its place in the job, the most reliable first. */
export interface RankEnvironment {
  readonly rank: readonly string[];
  readonly size?: readonly string[];
  /** The launcher's name for the job. */
  readonly world?: readonly string[];
  /** The world whose rank spawned this one: the pattern's first group in the variable. */
  readonly parentWorld?: { readonly variable: string; readonly pattern: RegExp };
  /** Is there in a process that MPI_Comm_spawn has started. */
  readonly spawned?: readonly string[];
  /** The name of the rank's host. */
  readonly host?: readonly string[];
  /** The rank's index on its host. */
  readonly local?: readonly string[];
  /** Prefixes of all variables that make a process believe it is a rank. */
  readonly prefixes?: readonly string[];
  /**
   * If no variable has the job's name but MPI_Init stores it as text in the heap: its first characters, and a pattern
   * that matches it from there.
   */
  readonly worldInHeap?: {
    readonly start: string;
    readonly pattern: RegExp;
    /** The launcher that gave the name, and its number for the world: 0 is its own. */
    readonly launcherAndNumber: (name: string) => { launcher: string; number: number } | undefined;
  };
}

/**
 * What a function of the library is given that errors or aborts go through. handled: (handler, object, type of object, code, name of the
 * function of MPI); unhandled, where there is no object yet or any more: (NULL, &code or NULL, name); of an object, whose struct tells the
 * handler: (object, name, code); abort: (communicator, code).
 */
export type ErrorPlace = 'handled' | 'unhandled' | 'comm' | 'win' | 'abort';

/** Where a library has its errors, and who is told of one. */
export interface ErrorFacts {
  /** By the names of functions that it exports. */
  readonly places: Readonly<Record<string, ErrorPlace>>;
  /** The error handlers that end the job: variables that it exports, or the values of handles. */
  readonly fatal: readonly (string | number)[];
  /** The one that returns. Others are the program's own. */
  readonly returns: string | number;
  /** In an error code: no handler is asked. */
  readonly fatalBit?: number;
  readonly objectTypes?: Readonly<Record<number, 'comm' | 'win' | 'file' | 'session'>>;
}

/** Launchers and their ranks' environment: of one MPI, or of a scheduler that starts ranks of any MPI. */
export interface JobStarter {
  /**
   * Several if releases differ, for example in how they mark output; the first that matches a launcher's file applies.
   */
  readonly launchers?: readonly LauncherFacts[];
  readonly environment?: RankEnvironment;
  /** Functions of any library by which a process has the launcher end the job: (status, text, …). */
  readonly aborts?: readonly string[];
  /** Variables in which a batch script has the name of its job: "4711", "4711[3].server". */
  readonly batchJob?: readonly string[];
  /** How its jobs are found, by number or from a launcher. */
  readonly batchSystem?: BatchSystem;
}

export interface MpiFacts extends JobStarter {
  /** As in Implementation.name: "openmpi". */
  readonly name: string;
  /** The name in texts: "Open MPI". Default: `name`. */
  readonly title?: string;
  /** Matches the paths of its own libraries and components. */
  readonly libraries?: RegExp;
  /** Matches the paths of the libraries that hold its objects; without one of them nothing can be decoded. */
  readonly objectLibraries?: RegExp;
  /**
   * Software that it is built on or bundles. Checked before `libraries`, since its components may wrap such software.
   */
  readonly below?: readonly Software[];
  /** Matches the paths of files that it maps to exchange messages: they hold no variables of the program. */
  readonly messageFiles?: RegExp;
  readonly programMarks?: ProgramMarks;
  /** Through which its ranks find each other, as launchers of any MPI call them: "pmix". The best first. */
  readonly processManagers?: readonly string[];
  /** The structs that its handles point to, if handles are pointers. */
  readonly handleStructs?: Readonly<Record<string, HandleKind>>;
  readonly errors?: ErrorFacts;
  /** Matches functions that run in place of MPI_Finalize; MPI_Finalize itself need not be listed. */
  readonly finalizers?: RegExp;
}
