/** What every way to debug a job is measured in. */
import type { Cost } from './process-cost';

/** One way to debug a job, stopped behind MPI_Init. */
export interface StoppedJob {
  /** One step of every rank, until the last has stopped. */
  stepAll(): Promise<void>;
  /** Of all that the debugger adds. */
  cost(): Cost;
  end(): Promise<void>;
}

export interface Scenario {
  launcher: string;
  launcherArgs: readonly string[];
  program: string;
  source: string;
  line: number;
  ranks: number;
}
