/**
 * What a batch system tells of its jobs, and how it starts processes in one: data and pure functions. Its commands are run by
 * adapter/launchers/batch/.
 */

/** Processes of a job that were started together. */
export interface BatchStep {
  /** As users name it: "4711.0". */
  readonly id: string;
  /** "4711" */
  readonly job: string;
  /** Of the program that was started. */
  readonly name: string;
  /** As the batch system writes it: "node[1-3,7]". */
  readonly nodeList: string;
  /** undefined: not known. */
  readonly tasks: number | undefined;
  /** The launcher that asked for it; undefined: none that runs. */
  readonly starter: { readonly host: string; readonly pid: number } | undefined;
  /** Its processes are the batch script and what that has started on its own node. */
  readonly isScript: boolean;
}

export interface BatchSystem {
  /** "Slurm" */
  readonly title: string;
  /** The names of processes that ask it for steps. */
  readonly starters: readonly string[];
  /** Variables that a job has: with the names of its nodes, as the batch system writes them. */
  readonly nodesVariable: string;
  /** Matches the number of a job, with or without a step: what a user may type. */
  readonly jobPattern: RegExp;
  /** A command that lists steps: of this job, or of all. */
  readonly listSteps: (job?: string) => readonly string[];
  /** Of what that command prints. Lines that are not understood are left out. */
  readonly parseSteps: (printed: string) => BatchStep[];
  /** A command that prints the names of these nodes, a line each. */
  readonly listNodes: (nodeList: string) => readonly string[];
  /** A command that tells the state of a job, and the word for it in what it prints: "PENDING". */
  readonly tellState: (job: string) => readonly string[];
  readonly parseState: (printed: string) => string | undefined;
  /** Matches its complaint about the number of a job that it does not know. */
  readonly isUnknownJob: RegExp;
  /** How the process calls itself on a node that is above all processes of the step. */
  readonly daemonTitle: (step: BatchStep) => string;
  /**
   * The words before a command that run it once on each of these nodes, inside the job and beside what runs there: it takes no
   * resources of the job, and does not wait for any.
   */
  readonly onEachNode: (job: string, nodes: readonly string[]) => readonly string[];
  /** The name of the steps that mpidbg itself asks for (onEachNode). */
  readonly ownSteps: string;
  /** Variables of a job that its commands would take for wishes: they are run without. */
  readonly isWish: (variable: string) => boolean;
}

/** How users named a job's number when Slurm was the only batch system: still an option, and an attribute. */
export const olderNameOfJob = 'slurm';
