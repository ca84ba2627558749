/** The page about a job that is named after the job. */
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';

/** In place of a file's name; a file of this name is `./auto`. */
const automatic = 'auto';

/** Without the server's name: "4711", "4711[3]". What else is in it could lead to another folder. */
const jobNumber = /^[\p{L}\d_[\]-]{1,64}(?=\.|$)/u;

/** The batch job that this environment belongs to; undefined: none. */
export function batchJobOf({ batchJob }: KnownMpis, environment: NodeJS.ProcessEnv): string | undefined {
  const numbers = batchJob.map((variable) => jobNumber.exec(environment[variable] ?? '')?.[0]);
  return numbers.find((number) => number !== undefined);
}

/** `wanted`: as the user has it; `job`: the batch job's number, or the launcher's pid. */
export function reportName(wanted: string, job: string | number): string {
  return wanted === automatic ? `mpidbg-${job}.html` : wanted;
}

/** Whether the user must be told the name. */
export function isAutomatic(wanted: string | undefined): boolean {
  return wanted === automatic;
}
