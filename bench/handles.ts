/**
 * What it costs to know what MPI handles are: npm run bench:handles [-- MPI...]. One of four ranks that hold 100 live
 * objects each is asked about each of them, and about all at once; beside the same bytes read without decoding anything.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { typeNames } from '../plugin-api/mpi/describe';
import type { Cost, HandleCosts } from './handle-costs';
import { launchers } from './launchers';

const ranks = 4;

/** The process id of rank 0, when all ranks have made their objects. */
async function untilReady(job: ChildProcess): Promise<number> {
  const pids: number[] = [];
  for await (const line of createInterface({ input: job.stdout! })) {
    const [, rank, pid] = /^ready (\d+) (\d+)$/.exec(line) ?? [];
    if (rank === undefined) console.error(line);
    else pids[Number(rank)] = Number(pid);
    if (Object.keys(pids).length === ranks) return pids[0]!;
  }
  throw new Error('the job ended before all ranks were ready');
}

async function measure(mpi: keyof typeof launchers, directory: string): Promise<HandleCosts> {
  const { compiler, launcher, launcherArgs } = launchers[mpi];
  const program = join(directory, mpi);
  execFileSync(compiler, ['-g', '-O0', '-o', program, join(__dirname, 'handles.c')]);
  const job = spawn(launcher, [...launcherArgs, '-n', String(ranks), program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const pid = await untilReady(job);
    const answer = execFileSync(
      process.execPath,
      [...process.execArgv, join(__dirname, 'handle-costs.ts'), String(pid)],
      { encoding: 'utf8' },
    );
    return JSON.parse(answer) as HandleCosts;
  } finally {
    const ended = once(job, 'exit');
    job.kill('SIGTERM');
    await ended;
  }
}

function print({ version, open, kinds, rank, first }: HandleCosts): void {
  const row = (name: string, { reads, processReads, bytes, time, mi, proc }: Cost): void => {
    const numbers = [reads, processReads, (bytes / 1024).toFixed(0), time.p50.toFixed(2), time.p95.toFixed(2)];
    const floors = [mi.p50.toFixed(2), proc.p50.toFixed(2), (time.p50 / mi.p50).toFixed(2)];
    console.log(`| ${[name, ...numbers, ...floors].join(' | ')} |`);
  };
  console.log(`${version}; the first time, in a debugger that has just started: ${first.toFixed(0)} ms\n`);
  console.log('| what | decoder reads | reads | KiB | p50, ms | p95, ms | MI, ms | /proc, ms | share of MI |');
  console.log('|---|---|---|---|---|---|---|---|---|');
  row('finding MPI, at each stop', open);
  for (const { kind, handles, ...cost } of kinds) row(`${typeNames[kind]} (${handles})`, cost);
  row(`all: ${rank.own} of the program, ${rank.others} others`, rank);
  console.log(`\nall, the reads below the cache over MI: ${rank.miOfProcessReads.p50.toFixed(0)} ms\n`);
}

async function main(): Promise<void> {
  process.env.OMPI_ALLOW_RUN_AS_ROOT = process.env.OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = '1';
  const chosen = process.argv.slice(2);
  const directory = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux\n`);
  for (const mpi of Object.keys(launchers) as (keyof typeof launchers)[]) {
    if (chosen.length === 0 || chosen.includes(mpi)) print(await measure(mpi, directory));
  }
  rmSync(directory, { recursive: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
