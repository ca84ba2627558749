/** Attaches to running processes of this host: a Job whose release leaves each of them exactly as it was. */
import type { Job } from '../job/job';

export interface AttachOptions {
  pids: readonly number[];
  /** Path of gdb; default: "gdb" in PATH. */
  gdb?: string;
  /** Milliseconds for all of it. */
  deadline?: number;
}

/** Resolves when every process is stopped ('stopped', reason 'attach') with symbols loaded. Rejects with StartError. */
export declare function attach(options: AttachOptions): Promise<Job>;
