/** The options of a launch. */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';

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
  /** See MpiFacts: of the programs' MPI. */
  processManagers?: readonly string[] | undefined;
  cwd: string;
  /** Added to this process' own; null removes one. */
  env?: Readonly<Record<string, string | null>>;
  /** Libraries to preload into the ranks, before those in `env.LD_PRELOAD`: paths here, copied to other hosts, or names that the loader finds. */
  preload?: readonly string[];
  /** A file for rank 0's standard input; default: an empty one. */
  stdin?: string;
  /** Default: the shipped ones. */
  plugins?: PluginRegistry;
  /** Path of gdb; default: "gdb" in PATH. */
  gdb?: string;
  /** Aborted: the start is given up, nothing is left running, and the promise rejects with StartError. */
  signal?: AbortSignal;
  /** Progress: so many of all ranks are held before their first instruction. */
  onHeld?: (held: number, all: number) => void;
  /** Before the job is there: first the command line as a user would type it, then what the launcher says while it starts. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
}
