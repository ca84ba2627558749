/**
 * The engine beside what a user does without it: npm run bench [-- RANKS...]. For each number of ranks and each MPI:
 * seconds from the start to all ranks stopped behind MPI_Init, milliseconds of one step of all ranks, CPU seconds and
 * MiB of all that the debugger adds; with mpidbg, and with one plain gdb per rank under the same launcher, in turn.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGdbPerRank } from './gdb-per-rank';
import { launchers } from './launchers';
import { startMpidbg } from './mpidbg';
import type { Cost } from './process-cost';
import type { Scenario } from './scenario';

interface Row extends Cost {
  mpi: string;
  ranks: number;
  debugger: string;
  stopped: number;
  p50: number;
  p95: number;
}

const steps = 50;
const debuggers = { mpidbg: startMpidbg, 'gdb per rank': startGdbPerRank };
const source = join(__dirname, 'program.c');

async function measure(scenario: Scenario, mpi: string, name: keyof typeof debuggers): Promise<Row> {
  const begin = performance.now();
  const job = await debuggers[name](scenario);
  const stopped = (performance.now() - begin) / 1000;
  const times: number[] = [];
  for (let i = 0; i < steps; i++) {
    const before = performance.now();
    await job.stepAll();
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const cost = job.cost();
  await job.end();
  const percentile = (p: number): number => times[Math.min(times.length - 1, Math.floor(p * times.length))]!;
  return { mpi, ranks: scenario.ranks, debugger: name, stopped, p50: percentile(0.5), p95: percentile(0.95), ...cost };
}

async function main(): Promise<void> {
  process.env.OMPI_ALLOW_RUN_AS_ROOT = process.env.OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = '1';
  const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1, 4, 16];
  const directory = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));
  const lines = readFileSync(source, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('stop: behind MPI_Init')) + 1;
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux, ${steps} steps each\n`);
  console.log('| MPI | ranks | debugger | all stopped, s | step p50, ms | step p95, ms | CPU, s | PSS, MiB |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [mpi, { compiler, ...launcher }] of Object.entries(launchers)) {
    const program = join(directory, mpi);
    execFileSync(compiler, ['-g', '-O0', '-o', program, source]);
    for (const ranks of counts) {
      for (const name of Object.keys(debuggers) as (keyof typeof debuggers)[]) {
        const row = await measure({ ...launcher, program, source, line, ranks }, mpi, name);
        const { stopped, p50, p95, cpu, memory } = row;
        const numbers = [stopped.toFixed(2), p50.toFixed(1), p95.toFixed(1), cpu.toFixed(2), memory.toFixed(0)];
        console.log(`| ${[row.mpi, row.ranks, row.debugger, ...numbers].join(' | ')} |`);
      }
    }
  }
  rmSync(directory, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
