/**
 * Checks mpidbg with programs that were not written here: the MPI test suite of MPICH, with either MPI.
 *
 *     npm run test:suite -- openmpi|mpich N|all [OPTION...]
 */
import { parseArgs } from 'node:util';
import { allMpis, type Mpi } from '../support/sample-job';
import { SuiteBuild } from './build';
import { collectAll, compareSample, compareSuiteProgram, runnableSamples, type Collected } from './compare-collected';
import { checkProgram, type Outcome, randomNumbersOf } from './check-program';
import { findPrograms, type SuiteProgram } from './programs';
import { isWrong, tableOf } from './report';
import { findSources } from './sources';

const usage = `usage: npm run test:suite -- openmpi|mpich N|all [OPTION...]
N programs, chosen by the seed, or all; each rank of each is stopped at random calls and in MPI_Finalize.
  --program NAME   only this one, such as pt2pt/bsend1; may be repeated
  --seed N         which programs and which calls (default 1)
  --stops N        stops of each rank beside MPI_Finalize (default 3)
  --minutes N      begin no program after so long
  --collected      instead: runs them, and all samples, without the collector and with it, and compares how they end
                   and what they print
  --cores          ask core files of the held ranks, as gcore writes them, instead of their memory
  --sources DIR    a checkout of MPICH, or its test/mpi (default: the environment's MPIDBG_MPICH_TESTS, else Debian's
                   source package of mpich, which is fetched once)`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      program: { type: 'string', multiple: true },
      seed: { type: 'string', default: '1' },
      stops: { type: 'string', default: '3' },
      minutes: { type: 'string', default: 'Infinity' },
      cores: { type: 'boolean', default: false },
      collected: { type: 'boolean', default: false },
      sources: { type: 'string' },
    },
  });
  const mpi = allMpis.find((name) => name === positionals[0]);
  const count = positionals[1] === 'all' ? Infinity : Number(positionals[1] ?? (values.program && Infinity));
  if (mpi === undefined || !(count > 0)) throw new Error(usage);
  const suite = await findSources(values.sources);
  const chosen = choose(findPrograms(suite), count, values.program, Number(values.seed));
  const build = await SuiteBuild.prepare(mpi, suite);
  const choices = { seed: Number(values.seed), stopsPerRank: Number(values.stops), fromCores: values.cores };
  if (values.collected) return compareCollected(mpi, chosen, build);
  const deadline = Date.now() + Number(values.minutes) * 60_000;
  const outcomes = new Map<string, Outcome>();
  for (const program of chosen) {
    if (Date.now() > deadline) break;
    const outcome = await checkProgram(mpi, program, build, choices);
    outcomes.set(program.name, outcome);
    const { facts, differences } = outcome.comparison;
    const broken = outcome.broken === undefined ? '' : `; broken, ${outcome.broken}`;
    console.log(
      `${program.name}: ${outcome.skipped ?? `${outcome.stops} stops, ${outcome.looks} looks inside, ${facts} facts, ${differences.length} wrong${broken}`}`,
    );
  }
  console.log(`\n${outcomes.size} of ${chosen.length} programs\n\n${tableOf(outcomes)}`);
  if (isWrong(outcomes)) process.exitCode = 1;
}

async function compareCollected(mpi: Mpi, programs: readonly SuiteProgram[], build: SuiteBuild): Promise<void> {
  const through = await collectAll();
  const verdicts = new Map<Collected['verdict'], number>();
  const note = (name: string, { verdict, reason }: Collected): void => {
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    console.log(`${name}: ${verdict}${reason === undefined ? '' : `, ${reason}`}`);
  };
  for (const each of runnableSamples(mpi)) note(each.name, await compareSample(mpi, each, through));
  for (const program of programs) note(program.name, await compareSuiteProgram(mpi, program, build, through));
  console.log(`\n${[...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`);
  if (verdicts.has('different')) process.exitCode = 1;
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

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
