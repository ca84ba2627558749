/** What every way to debug a job is measured in. */
import type { Cost } from './process-cost';

/** One way to debug a job, all its ranks stopped: behind MPI_Init after a launch, wherever they were after an attach. */
export interface StoppedJob {
  /** One step of every rank, until the last has stopped. */
  stepAll: () => Promise<void>;
  /** The list of all threads, where one request gives it. */
  threads?: () => Promise<void>;
  /** The stacks of all ranks. */
  stacks: () => Promise<void>;
  /** The cost of all that the debugger adds. */
  cost: () => Cost;
  end: () => Promise<void>;
}

export interface Scenario {
  launcher: string;
  launcherArgs: readonly string[];
  program: string;
  source: string;
  line: number;
  ranks: number;
  /** The processes of a job that runs already: attach to these instead of launching. */
  pids?: readonly number[];
}
