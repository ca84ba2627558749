/**
 * Checks mpidbg with programs that were not written here: the MPI test suite of MPICH, with either MPI.
 *
 *     npm run test:suite -- openmpi|mpich N|all [OPTION...]
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseArgs } from 'node:util';
import { LiveImage } from '../../adapter/images/live-image';
import { add, type Comparison } from '../support/comparison';
import { randomNumbers } from '../support/random-numbers';
import { allMpis, type Mpi } from '../support/sample-job';
import { SuiteBuild } from './build';
import { checkStop, type Circumstances } from './check-stop';
import { findPrograms, type SuiteProgram } from './programs';
import { runProgram } from './run-program';
import { findSources } from './sources';

const usage = `usage: npm run test:suite -- openmpi|mpich N|all [OPTION...]
N programs, chosen by the seed, or all; each rank of each is stopped at random calls and in MPI_Finalize.
  --program NAME   only this one, such as pt2pt/bsend1; may be repeated
  --seed N         which programs and which calls (default 1)
  --stops N        stops of each rank beside MPI_Finalize (default 3)
  --sources DIR    a checkout of MPICH, or its test/mpi (default: the environment's MPIDBG_MPICH_TESTS, else Debian's
                   source package of mpich, which is fetched once)`;

/** The outcome of one program. */
interface Outcome {
  comparison: Comparison;
  stops: number;
  /** Why nothing could be compared. */
  skipped?: string;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      program: { type: 'string', multiple: true },
      seed: { type: 'string', default: '1' },
      stops: { type: 'string', default: '3' },
      sources: { type: 'string' },
    },
  });
  const mpi = allMpis.find((name) => name === positionals[0]);
  const count = positionals[1] === 'all' ? Infinity : Number(positionals[1] ?? (values.program && Infinity));
  if (mpi === undefined || !(count > 0)) throw new Error(usage);
  const suite = await findSources(values.sources);
  const chosen = choose(findPrograms(suite), count, values.program, Number(values.seed));
  const build = await SuiteBuild.prepare(mpi, suite);
  const outcomes = new Map<string, Outcome>();
  for (const program of chosen) {
    const outcome = await checkProgram(mpi, program, build, Number(values.seed), Number(values.stops));
    outcomes.set(program.name, outcome);
    const { facts, differences } = outcome.comparison;
    console.log(
      `${program.name}: ${outcome.skipped ?? `${outcome.stops} stops, ${facts} facts, ${differences.length} wrong`}`,
    );
  }
  report(outcomes);
}

function choose(programs: SuiteProgram[], count: number, names: string[] | undefined, seed: number): SuiteProgram[] {
  if (names !== undefined) {
    const missing = names.filter((name) => !programs.some((program) => program.name === name));
    if (missing.length > 0) throw new Error(`the suite has no program ${missing.join(', ')}`);
    return programs.filter(({ name }) => names.includes(name));
  }
  const random = randomNumbersOf(seed, 0);
  const shuffled = programs.map((program) => ({ program, position: random(2 ** 32) }));
  return shuffled
    .sort((a, b) => a.position - b.position)
    .slice(0, count)
    .map(({ program }) => program);
}

/** Different for each use of one seed, and from the first number on. */
function randomNumbersOf(seed: number, use: number): (limit: number) => number {
  const random = randomNumbers(((seed * 1009 + use) * 2654435761) >>> 0 || 1);
  for (let i = 0; i < 8; i++) random(2);
  return random;
}

/** Once to its end, to count its calls; then with stops. */
async function checkProgram(
  mpi: Mpi,
  program: SuiteProgram,
  build: SuiteBuild,
  seed: number,
  stopsPerRank: number,
): Promise<Outcome> {
  const outcome: Outcome = { comparison: { facts: 0, differences: [] }, stops: 0 };
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
  const quiet = { stops: () => [], stopped: async () => undefined };
  const alone = await runProgram(mpi, program, built, { ...quiet, ended: (rank, count) => calls.set(rank, count) });
  if (alone.failure !== undefined) {
    const { failure } = await runProgram(
      mpi,
      program,
      { path, library: undefined },
      { ...quiet, ended: () => undefined },
    );
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
  const run = await runProgram(mpi, program, built, {
    stops: stopsOf,
    ended: () => undefined,
    stopped: async (stop) => {
      const own = circumstances.get(stop.pid) ?? { mpi, functions, namedTypes: [] };
      circumstances.set(stop.pid, own);
      const images: LiveImage[] = [];
      const image = (): LiveImage => {
        const live = new LiveImage(stop.pid);
        images.push(live);
        return live;
      };
      const { facts, differences } = await checkStop(stop, image, own);
      for (const live of images) live.close();
      outcome.stops++;
      for (const text of differences)
        console.log(`${program.name} seed ${seed} before call ${stop.number}, ${stop.call}: ${text}`);
      add(outcome.comparison, { facts, differences });
    },
  });
  if (run.failure !== undefined) console.log(`${program.name}: stopped, ${run.failure}: ${run.output.slice(-300)}`);
  return outcome;
}

/** The names of a program's functions by their addresses, "0x401136"; the program is linked to fixed ones. */
async function functionNames(path: string): Promise<Map<string, string>> {
  const { stdout } = await promisify(execFile)('nm', [path], { maxBuffer: 64 * 1024 * 1024 });
  const lines = stdout.matchAll(/^0*([0-9a-f]+) [tTwW] (\S+)$/gm);
  return new Map([...lines].map(([, address = '', name = '']) => [`0x${address}`, name]));
}

function report(outcomes: Map<string, Outcome>): void {
  const total: Comparison = { facts: 0, differences: [] };
  let compared = 0;
  for (const { comparison, skipped } of outcomes.values()) {
    add(total, comparison);
    if (skipped === undefined) compared++;
  }
  console.log(`${compared} of ${outcomes.size} programs, ${total.facts} facts, ${total.differences.length} wrong`);
  if (total.differences.length > 0 || compared === 0) process.exitCode = 1;
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
