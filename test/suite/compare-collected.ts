/** Runs programs without the collector and with it: they end in the same way, and print the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../support/run-cli';
import { samplePath, type Mpi } from '../support/sample-job';
import type { SuiteBuild } from './build';
import type { SuiteProgram } from './programs';
import { runProgram, type Run, type Runnable } from './run-program';

/** 'different' is the collector's fault. 'varies': two runs without it are not the same either. */
export interface Collected {
  verdict: 'same' | 'varies' | 'different' | 'skipped';
  reason?: string;
}

/** What goes before a program. */
export async function collectAll(): Promise<string[]> {
  return (await runCli(['collector'])).stdout.trim().split(' ');
}

export async function compareSuiteProgram(
  mpi: Mpi,
  program: SuiteProgram,
  build: SuiteBuild,
  through: readonly string[],
): Promise<Collected> {
  let path: string;
  try {
    path = await build.program(program);
  } catch {
    return { verdict: 'skipped', reason: 'does not build' };
  }
  return compareRuns(mpi, program, path, through);
}

/** They print their environment, in which the collector is. */
const tellingEnvironment = new Set(['child-watcher']);

const samples = join(__dirname, '..', '..', 'samples');

/** Those that are built for this MPI, with as many ranks as their first lines say. */
export function runnableSamples(mpi: Mpi): { name: string; sample: Runnable }[] {
  const built = new Set(readdirSync(join(samples, 'build', mpi)));
  return readdirSync(samples)
    .map((file) => ({ file, name: file.replace(/\.\w+$/, '') }))
    .filter(({ name }) => built.has(name) && !tellingEnvironment.has(name))
    .map(({ file, name }) => {
      const ranks = new RegExp(`-n (\\d+) ${name}\\b`).exec(readFileSync(join(samples, file), 'utf8'))?.[1] ?? '4';
      return { name, sample: { ranks: Number(ranks), args: [], env: {} } };
    });
}

export function compareSample(
  mpi: Mpi,
  { name, sample }: { name: string; sample: Runnable },
  through: readonly string[],
): Promise<Collected> {
  return compareRuns(mpi, sample, samplePath(mpi, name), through);
}

/** How often a program runs again without it, to see how much that varies. */
const maxTries = 4;

/** Many programs of both wait for ever, to be debugged. */
const patienceMs = 15_000;

async function compareRuns(mpi: Mpi, program: Runnable, path: string, through: readonly string[]): Promise<Collected> {
  const run = (before: readonly string[], patience = patienceMs): Promise<Run> =>
    runProgram(mpi, program, { path, library: undefined, through: before }, {}, patience);
  const without = await run([]);
  if (without.hung === true) return { verdict: 'skipped', reason: 'does not end by itself' };
  const first = await run(through);
  // Perhaps the machine was busy.
  const collected = first.hung === true ? await run(through, 4 * patienceMs) : first;
  if (isSame(without, collected, exactly)) return { verdict: 'same' };
  const others = [without];
  for (let tries = 0; tries < maxTries; tries++) {
    const again = await run([]);
    if (isSame(again, collected, exactly)) return { verdict: 'varies' };
    others.push(again);
  }
  const varies = others.some((other) => !isSame(without, other, exactly));
  if (varies && others.some((other) => isSame(other, collected, withoutNumbers))) return { verdict: 'varies' };
  return { verdict: 'different', reason: differenceOf(without, collected) };
}

function isSame(one: Run, other: Run, lineOf: (line: string) => string): boolean {
  return one.failure === other.failure && linesOf(one, lineOf).join('\n') === linesOf(other, lineOf).join('\n');
}

/** Lines of several ranks come in any order. */
function linesOf({ output }: Run, lineOf: (line: string) => string): string[] {
  return output.split('\n').map(lineOf).sort();
}

const exactly = (line: string): string => line;

/** Addresses, times and process ids. */
const withoutNumbers = (line: string): string => line.replace(/0x[\da-f]+|[\d.]+/gi, '#');

function differenceOf(without: Run, collected: Run): string {
  if (without.failure !== collected.failure)
    return `${without.failure ?? 'ends well'} without, ${collected.failure ?? 'ends well'} with it: ${collected.output.slice(-300)}`;
  const known = new Set(linesOf(without, exactly));
  const added = linesOf(collected, exactly).filter((line) => !known.has(line));
  return `prints otherwise: ${added.slice(0, 5).join(' | ').slice(0, 400)}`;
}
