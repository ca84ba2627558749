/** Runs one program of the suite to its end, and again with stops at which all its handles are compared. */
import { execFile } from 'node:child_process';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { add, type Comparison } from '../support/comparison';
import { randomNumbers } from '../support/random-numbers';
import type { Mpi } from '../support/sample-job';
import { whileStopped } from '../support/stopped-ranks';
import type { SuiteBuild } from './build';
import { checkInside, isWorthALook } from './check-inside';
import { checkStop, type Circumstances } from './check-stop';
import type { SuiteProgram } from './programs';
import type { Stop } from './rank-connection';
import { RankImages } from './rank-images';
import { runProgram } from './run-program';

/** The outcome of one program. */
export interface Outcome {
  comparison: Comparison;
  stops: number;
  /** Looks at ranks that waited inside a call. */
  looks: number;
  /** Why nothing could be compared. */
  skipped?: string;
  /** Under the check it failed or hung, or the check did, though it ran to its end without stops. */
  broken?: string;
}

/** What the user chooses. */
export interface Choices {
  seed: number;
  stopsPerRank: number;
  /** Ask core files of the held ranks instead of their memory. */
  fromCores: boolean;
}

/** Different for each use of one seed, and from the first number on. */
export function randomNumbersOf(seed: number, use: number): (limit: number) => number {
  const random = randomNumbers(((seed * 1009 + use) * 2654435761) >>> 0 || 1);
  for (let i = 0; i < 8; i++) random(2);
  return random;
}

/** Once to its end, to count its calls; then with stops. */
export async function checkProgram(
  mpi: Mpi,
  program: SuiteProgram,
  build: SuiteBuild,
  { seed, stopsPerRank, fromCores }: Choices,
): Promise<Outcome> {
  const outcome: Outcome = { comparison: { facts: 0, differences: [] }, stops: 0, looks: 0 };
  let path: string;
  try {
    path = await build.program(program);
  } catch (error) {
    return {
      ...outcome,
      skipped: `skipped, does not build: ${(error as Error).message.split('\n').find((line) => line.includes('error')) ?? (error as Error).message}`,
    };
  }
  const built = { path, library: build.library };
  const calls = new Map<number, number>();
  const alone = await runProgram(mpi, program, built, { ended: (rank, count) => calls.set(rank, count) });
  if (alone.failure !== undefined) {
    const { failure } = await runProgram(mpi, program, { path, library: undefined });
    if (failure !== undefined) return { ...outcome, skipped: `skipped, by itself ${failure}` };
    return { ...outcome, skipped: `skipped, with the preloaded library ${alone.failure}: ${alone.output.slice(-300)}` };
  }

  const functions = await functionNames(path);
  const circumstances = new Map<number, Circumstances>();
  const stopsOf = (rank: number): number[] => {
    const random = randomNumbersOf(seed, 1 + rank);
    const numbers = Array.from({ length: stopsPerRank }, () => 1 + random(calls.get(rank) ?? 1));
    return numbers.sort((a, b) => a - b);
  };
  const take = (stop: Stop, { facts, differences }: Comparison): void => {
    for (const text of differences)
      console.log(`${program.name} seed ${seed} before call ${stop.number}, ${stop.call}: ${text}`);
    add(outcome.comparison, { facts, differences });
  };
  const own = (pid: number): Circumstances => {
    const known = circumstances.get(pid) ?? { mpi, functions, namedTypes: [], truth: [] };
    circumstances.set(pid, known);
    return known;
  };
  const run = await runProgram(mpi, program, built, {
    stops: stopsOf,
    ended: () => undefined,
    isToWatch: (stop) => isWorthALook(stop) && !program.isThreaded,
    stopped: async (stop) => {
      const images = new RankImages(stop.pid, fromCores);
      try {
        take(stop, await checkStop(stop, () => images.open(), own(stop.pid)));
        outcome.stops++;
      } finally {
        images.close();
      }
    },
    waiting: async (stop, hasLeft) => {
      const images = new RankImages(stop.pid, fromCores);
      try {
        await whileStopped([stop.pid], async () => {
          // What it said before it was held arrives first.
          for (let turn = 0; turn < 2; turn++) await eventLoopTurn();
          if (hasLeft()) return;
          take(stop, await checkInside(stop, await images.open(), own(stop.pid)));
          outcome.looks++;
        });
      } finally {
        images.close();
      }
    },
  });
  if (run.failure === undefined) return outcome;
  return { ...outcome, broken: `${run.failure}: ${run.output.slice(-300)}` };
}

/** The names of a program's functions by their addresses, "0x401136"; the program is linked to fixed ones. */
async function functionNames(path: string): Promise<Map<string, string>> {
  const { stdout } = await promisify(execFile)('nm', [path], { maxBuffer: 64 * 1024 * 1024 });
  const lines = stdout.matchAll(/^0*([0-9a-f]+) [tTwW] (\S+)$/gm);
  return new Map([...lines].map(([, address = '', name = '']) => [`0x${address}`, name]));
}
