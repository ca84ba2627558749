/**
 * What is known about an MPI without reading its processes' memory: its files, its launcher, and what the launcher
 * tells each rank. All of it is data or pure functions; everything but the name is optional, and a missing fact
 * recognises nothing.
 */
import type { HandleKind } from './records';

/** Libraries that mpidbg distinguishes from the program's. */
export interface Software {
  /** "UCX": the name for its threads. */
  readonly title: string;
  /** Matches the paths of its libraries and components. */
  readonly libraries: RegExp;
}

/** How to recognise an MPI in the file of a program or library, without running it. */
export interface ProgramMarks {
  /** Constant arrays that hold the version: of two libraries with one SONAME they tell which is there. */
  readonly versionSymbols: readonly string[];
  /** For files without these symbols: a static program has only what it uses, and may be stripped. `title`: the MPI's. */
  readonly texts: readonly { readonly title: string; readonly text: string }[];
}

/** How a launcher marks the output of ranks. */
export interface OutputTag {
  /** Matches one mark or one line end; the first group is the rank. Global. */
  readonly markOrEnd: RegExp;
  /** Matches the beginning of a mark at the end of a text. */
  readonly beginning: RegExp;
}

/** What a launch needs from the launcher. */
export interface LaunchRequest {
  readonly ranks: number;
  /** The user's own arguments for the launcher. */
  readonly userArgs: readonly string[];
  /** Of this machine that may be used, without their hardware threads. */
  readonly cores: number;
}

/** How a launcher is told on which hosts ranks are to run. */
export interface HostArguments {
  /** Matches options behind which hosts follow: "node1:4,node2:4". */
  readonly lists: RegExp;
  /** Matches options behind which a file of hosts is named. */
  readonly files: RegExp;
  /** Variables that name such a file. */
  readonly variables?: readonly string[];
}

export interface LauncherFacts {
  /** File names under which it is looked for, in this order; those that tell the MPI first. */
  readonly names: readonly string[];
  /** Other processes of it above the ranks, which may have the environment of one. */
  readonly daemons?: readonly string[];
  /** The package of Debian and Ubuntu that has it. */
  readonly package?: string;
  /** Matches names that no other launcher has, of the file behind all links. */
  readonly file?: RegExp;
  /** Matches the name of a library that its file needs. */
  readonly needs?: RegExp;
  /** Each shows the launcher in its file or in a script around it. */
  readonly texts?: readonly string[];
  /** Matches what it prints with --version. */
  readonly version?: RegExp;
  /** What it needs in its own environment when root starts it. */
  readonly rootEnvironment?: Readonly<Record<string, string>>;
  /** What is put before the user's launcher arguments. */
  readonly options?: (request: LaunchRequest) => string[];
  /**
   * What is put before each program so that its ranks get these variables of the launcher's, on other hosts too. undefined: they
   * get all.
   */
  readonly forward?: (names: readonly string[]) => string[];
  /** undefined: it is not known to put ranks on other hosts. */
  readonly hosts?: HostArguments;
  /**
   * The arguments with which it starts one process on each of these hosts, and reaches them as the running one does, whose
   * arguments are given; behind them comes the program. undefined: it is not known how.
   */
  readonly onePerHost?: (args: readonly string[], hosts: readonly string[]) => string[];
  /** undefined: it leaves the output as it is. */
  readonly outputTag?: OutputTag;
}

/** What a rank's environment says about its place in the job: names of variables, the best first. */
export interface RankEnvironment {
  readonly rank: readonly string[];
  readonly size?: readonly string[];
  /** The launcher's name for the job. */
  readonly world?: readonly string[];
  /** The name of the rank's host. */
  readonly host?: readonly string[];
  /** Its place among the ranks of its host. */
  readonly local?: readonly string[];
  /** The prefixes of all variables that make a process think that it is a rank. */
  readonly prefixes?: readonly string[];
  /**
   * Where no variable has the job's name, but MPI_Init keeps it as text in the heap: how it begins, and what matches it
   * from its beginning.
   */
  readonly worldInHeap?: { readonly start: string; readonly pattern: RegExp };
}

/** What starts ranks, of one MPI or of any. */
export interface JobStarter {
  /** Several where releases differ in how they mark the output of ranks, say; the first that shows in a file is meant. */
  readonly launchers?: readonly LauncherFacts[];
  readonly environment?: RankEnvironment;
}

export interface MpiFacts extends JobStarter {
  /** As Implementation.name says it: "openmpi". */
  readonly name: string;
  /** For people: "Open MPI". Default: the name. */
  readonly title?: string;
  /** Matches the paths of its own libraries and components. */
  readonly libraries?: RegExp;
  /** Matches the paths of the libraries that hold its objects: without one of these nothing can be decoded. */
  readonly objectLibraries?: RegExp;
  /** What it is built on or comes with. Asked before `libraries`: its components may wrap it. */
  readonly below?: readonly Software[];
  /** Matches the paths of files that it maps for its messages: they hold no variables of the program. */
  readonly messageFiles?: RegExp;
  readonly programMarks?: ProgramMarks;
  /** The structs that its handles point to, where handles are pointers. */
  readonly handleStructs?: Readonly<Record<string, HandleKind>>;
  /** Matches its own functions that run instead of MPI_Finalize, which is known. */
  readonly finalizers?: RegExp;
}
