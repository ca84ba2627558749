/** The programs that die, and what a colleague would say of each: programs/deaths.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mpi } from '../support/sample-job';

export const programs = join(__dirname, 'programs');

/**
 * kind: of record.h; undefined: nobody dies. rule: of SARIF, where a look at the stack finds another kind. place: the marker "dies: …" in the line where the stack of the death begins; below: in the line of
 * the program that led there. thrown: the marker where the exception was thrown. isLaunched: also with a launcher, on two ranks. told: a part of what
 * mpidbg says. why: what
 * keeps it from other MPIs.
 */
export interface DeathCase {
  program: string;
  how: string;
  says: string;
  kind?: string;
  rule?: string;
  place?: string;
  below?: string;
  thrown?: string;
  signal?: number;
  status?: number;
  words?: string;
  function?: string;
  object?: string;
  errorClass?: number | Record<Mpi, number>;
  text?: string;
  type?: string;
  isStackFull?: boolean;
  isOwnHandler?: boolean | Record<Mpi, boolean>;
  isFortran?: boolean;
  isLaunched?: boolean;
  told?: string | Record<Mpi, string>;
  mpis?: readonly Mpi[];
  why?: string;
}

export const deathCases = JSON.parse(readFileSync(join(programs, 'deaths.json'), 'utf8')) as readonly DeathCase[];

/** The line with "dies: MARKER" at its end, from 1. Throws unless there is one. */
export function lineThatDies({ program }: DeathCase, marker: string): number {
  const lines = readFileSync(join(programs, program), 'utf8').split('\n');
  const found = lines.flatMap((line, i) => (line.replace(/ \*\/$/, '').endsWith(`dies: ${marker}`) ? [i + 1] : []));
  const [line] = found;
  if (line === undefined || found.length > 1)
    throw new Error(`${program} has ${found.length} lines with "dies: ${marker}", not one`);
  return line;
}
