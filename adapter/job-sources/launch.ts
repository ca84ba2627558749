/** Launches an MPI program through the user's launcher, every rank held until the job is started. */
import type { Job } from '../job/job';

export interface ProgramSpec {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  ranks: number;
}

export interface LaunchOptions {
  /** One, or several for MPMD. */
  programs: readonly ProgramSpec[];
  /** Path or name of mpirun or mpiexec. */
  launcher: string;
  launcherArgs?: readonly string[];
  cwd: string;
  /** Added to this process' own; null removes one. */
  env?: Readonly<Record<string, string | null>>;
  /** A file for rank 0's standard input. */
  stdin?: string;
  gdb?: string;
  /** Aborted: the start is given up, nothing is left running, and the promise rejects with StartError. */
  signal?: AbortSignal;
  /** Is given the whole command line before it is run, and the output of the launcher while it starts. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
}

/**
 * Resolves when every rank is held before its first instruction ('starting'), so that breakpoints can be set;
 * job.start lets them go. Rejects with StartError.
 */
export declare function launch(options: LaunchOptions): Promise<Job>;
