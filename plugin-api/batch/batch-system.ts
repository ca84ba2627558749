/**
 * What a batch system says about its jobs, and how it starts processes in one: data and pure functions. adapter/launchers/batch/ runs its
 * commands.
 */

/** Processes of a job that were started together. */
export interface BatchStep {
  /** As users name it: "4711.0". */
  readonly id: string;
  /** "4711" */
  readonly job: string;
  /** The program that was started. */
  readonly name: string;
  /** As the batch system writes it: "node[1-3,7]". */
  readonly nodeList: string;
  /** undefined: not known. */
  readonly tasks: number | undefined;
  /** The launcher that asked for it; undefined: none that runs. */
  readonly starter: { readonly host: string; readonly pid: number } | undefined;
  /** Its processes are the batch script and what that has started on its own node. */
  readonly isScript: boolean;
  /** It has not been started: it waits for resources of its job. */
  readonly isWaiting?: boolean;
}

/** A job that waits in the queue for a launcher, which waits with it. */
export interface QueuedJob {
  /** "4711" */
  readonly id: string;
  /** The launcher's, as the batch system calls it. */
  readonly host: string;
  /** The launcher's, as getsid(2). */
  readonly session: number;
  /** In the batch system's words: "Resources". */
  readonly reason: string;
}

/** Whether one launcher has asked for both. */
export function isStartedTogether({ starter: one }: BatchStep, { starter: other }: BatchStep): boolean {
  return one !== undefined && one.host === other?.host && one.pid === other.pid;
}

/** A job of the user that runs. */
export interface BatchJob {
  /** "4711" */
  readonly id: string;
  readonly name: string;
  /** As the batch system writes it: "node[1-3,7]". */
  readonly nodeList: string;
  /** How long it has run, as the batch system writes it: "12:07", "1-03:00:00". */
  readonly time: string;
  /** How long it may still run; undefined: there is no limit. */
  readonly timeLeft: string | undefined;
}

/** How the processes of a step are told from others on a node. */
export type StepMark =
  /** They descend from the process with this title. */
  | { readonly kind: 'daemon'; readonly title: string }
  /** They were started with this variable, which has one of these values. */
  | { readonly kind: 'variable'; readonly name: string; readonly values: readonly string[] };

/** A job, as commands that start something in it name it. */
export interface JobPart {
  readonly job: string;
  /** Which part of a job whose parts have different resources and numbers of their own; undefined: it has no parts. */
  readonly part?: number | undefined;
}

/** TCP ports, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
  /** What sets it, for users: "SrunPortRange". */
  readonly setting: string;
}

export type NodeNames =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** What prints them, one on each line. */
  | { readonly kind: 'command'; readonly command: readonly string[] };

export interface BatchSystem {
  /** "Slurm" */
  readonly title: string;
  /** A command that it has and no other batch system. */
  readonly ownCommand: string;
  /** The variable in which a process of a job finds the number of the job. */
  readonly jobVariable: string;
  /** The names of the programs that start steps. */
  readonly starters: readonly string[];
  /** The user's jobs for which a launcher waits in the queue, and the names of such launchers; absent: it does not tell. */
  readonly queue?: {
    readonly waiters: readonly string[];
    readonly command: readonly string[];
    readonly jobsIn: (printed: string) => QueuedJob[];
  };
  /** Where a job finds the names of its nodes: in a variable, or in the file that one names. Absent: nowhere. */
  readonly allocation?: {
    readonly variable: string;
    readonly isFile: boolean;
    readonly nodesIn: (text: string) => NodeNames;
  };
  /** The ports of a launcher's host that nodes may connect to; absent: it sets none. */
  readonly openPorts?: {
    readonly command: readonly string[];
    /** undefined: all of them. */
    readonly portsIn: (printed: string) => PortRange | undefined;
  };
  /** Matches the number of a job, with or without a step: what a user may type. Its first group is the job. */
  readonly jobPattern: RegExp;
  /** A command that lists the user's jobs that run. */
  readonly listJobs: readonly string[];
  /** The jobs of this user in the output of that command; lines that are not understood are left out. */
  readonly parseJobs: (printed: string, user: string | undefined) => BatchJob[];
  /** A command that lists steps: of this job, or of all. */
  readonly listSteps: (job?: string) => readonly string[];
  /** The steps of this job, or of all, in the output of that command; lines that are not understood are left out. */
  readonly parseSteps: (printed: string, job?: string) => BatchStep[];
  /** In BatchStep.nodeList. */
  readonly nodesIn: (nodeList: string) => NodeNames;
  /** A command that tells the state of a job, and the word for it in what it prints: "PENDING". */
  readonly tellState: (job: string) => readonly string[];
  readonly parseState: (printed: string, job: string) => string | undefined;
  /** Matches the states of a job in which something runs, or will. */
  readonly mayRun: RegExp;
  /** Matches its complaint about the number of a job that it does not know. */
  readonly isUnknownJob: RegExp;
  readonly mark: (step: BatchStep) => StepMark;
  /**
   * What has to precede a command to run it once on each of these nodes, inside the job and beside what runs there. It takes no
   * resources of the job and waits for none. Absent: it starts nothing in a job that runs, but from inside.
   */
  readonly onEachNode?: (job: JobPart, nodes: readonly string[]) => readonly string[];
  /** How the job of a step is to be named there; absent: by its number. */
  readonly tellPart?: {
    readonly command: (job: string) => readonly string[];
    readonly partIn: (printed: string, job: string) => JobPart;
  };
  /** The name of the steps that mpidbg itself asks for (onEachNode). */
  readonly ownSteps?: string;
  /** Environment variables that its commands would take as options: they are run without these. */
  readonly isWish: (variable: string) => boolean;
}

/** How users named a job's number when Slurm was the only batch system: still an option, and an attribute. */
export const olderNameOfJob = 'slurm';
