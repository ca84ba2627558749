/**
 * The engine beside what a user does without it: npm run bench [-- openmpi|mpich] [RANKS...]. For each number of ranks and each MPI, for
 * a launch and for an attach: seconds until all ranks are stopped, milliseconds of one step of all ranks, of the list of
 * threads and of the stacks, CPU seconds and MiB of all that the debugger adds; with mpidbg, with one plain gdb per rank,
 * and with one session of cdt-gdb-adapter per rank, in turn.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCdt, startCdtSessions } from './cdt-sessions';
import { startGdbPerRank } from './gdb-per-rank';
import { startMpidbg } from './mpidbg';
import { startRunningJob } from './running-job';
import type { Scenario, StoppedJob } from './scenario';

const steps = 50;
const looks = 5;
const launchDebuggers = { mpidbg: startMpidbg, 'gdb per rank': startGdbPerRank };
const attachDebuggers = { ...launchDebuggers, ...(findCdt() && { 'cdt-gdb-adapter': startCdtSessions }) };
const source = join(__dirname, 'program.c');
const launchers = {
  openmpi: { compiler: 'mpicc.openmpi', launcher: 'mpirun.openmpi', launcherArgs: ['--oversubscribe'] },
  mpich: { compiler: 'mpicc.mpich', launcher: 'mpiexec.mpich', launcherArgs: [] },
};

/** The columns of one row, without what it is about. */
async function measure(scenario: Scenario, start: (scenario: Scenario) => Promise<StoppedJob>): Promise<string[]> {
  const begin = performance.now();
  const job = await start(scenario);
  const stopped = (performance.now() - begin) / 1000;
  // Ranks that are attached to are asleep in the C library: no line to step over.
  const steppings = scenario.pids === undefined ? await times(steps, () => job.stepAll()) : [];
  const threads = job.threads === undefined ? [] : await times(looks, job.threads);
  const stacks = await times(looks, () => job.stacks());
  const { cpu, memory } = job.cost();
  await job.end();
  return [
    stopped.toFixed(2),
    percentile(steppings, 0.5),
    percentile(steppings, 0.95),
    percentile(threads, 0.5),
    percentile(stacks, 0),
    percentile(stacks, 0.5),
    percentile(stacks, 1),
    cpu.toFixed(2),
    memory.toFixed(0),
  ];
}

/** Milliseconds of each. */
async function times(count: number, act: () => Promise<void>): Promise<number[]> {
  const result: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    await act();
    result.push(performance.now() - before);
  }
  return result;
}

function percentile(values: readonly number[], p: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]?.toFixed(1) ?? '–';
}

async function main(): Promise<void> {
  process.env.OMPI_ALLOW_RUN_AS_ROOT = process.env.OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = '1';
  const given = process.argv.slice(2);
  const mpis = Object.entries(launchers).filter(
    ([mpi]) => given.includes(mpi) || !given.some((each) => each in launchers),
  );
  const numbers = given.filter((each) => /^\d+$/.test(each)).map(Number);
  const counts = numbers.length > 0 ? numbers : [1, 4, 16, 32, 64];
  const directory = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));
  const lines = readFileSync(source, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('stop: behind MPI_Init')) + 1;
  const columns = [
    ...['MPI', 'ranks', '', 'debugger', 'all stopped, s', 'step p50, ms', 'p95', 'threads, ms'],
    ...['stacks, ms: best', 'median', 'worst', 'CPU, s', 'PSS, MiB', 'load'],
  ];
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux, ${steps} steps each\n`);
  console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
  const tell = (...cells: (string | number)[]): void =>
    console.log(`| ${[...cells, loadavg()[0]?.toFixed(0) ?? ''].join(' | ')} |`);
  for (const [mpi, { compiler, ...launcher }] of mpis) {
    const program = join(directory, mpi);
    execFileSync(compiler, ['-g', '-O0', '-o', program, source]);
    for (const ranks of counts) {
      const scenario: Scenario = { ...launcher, program, source, line, ranks };
      for (const [name, start] of Object.entries(launchDebuggers)) {
        tell(mpi, ranks, 'launch', name, ...(await measure(scenario, start)));
      }
      for (const [name, start] of Object.entries(attachDebuggers)) {
        const job = await startRunningJob(scenario);
        tell(mpi, ranks, 'attach', name, ...(await measure({ ...scenario, pids: job.pids }, start)));
        await job.end();
      }
    }
  }
  rmSync(directory, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
