/**
 * What `mpidbg hang` costs: npm run bench:hang [-- openmpi|mpich] [RANKS...], default 64. A job hangs: rank 0 waits for rank 1, and
 * all others in a barrier. Milliseconds of each part of a look (gdb's start, attaching, reading, letting go), of two looks
 * and the verdict beyond attaching, and of one as `mpidbg run --hang-after` takes; for how long ranks are held beyond
 * attaching; the same without gdb, as `mpidbg hang` does where it can: for how long ranks are held in all, and two looks with
 * the verdict; and, in turn, what a user does without: gdb's stacks of all threads, one rank after the other, and all at once.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadPlugins } from '../adapter/query/load-plugin';
import { openJob } from '../adapter/job-sources/open-job';
import { JobQueries } from '../adapter/query/job-queries';
import { processesAt } from '../adapter/job-sources/job-finder';
import { HeldLooks } from '../adapter/query/hang/held-look';
import { lookAt } from '../adapter/query/hang/look';
import { adviceText } from '../adapter/cli/advice';
import type { ProcessState } from '../plugin-api/hang/job-state';
import { verdictOf } from '../plugin-api/hang/verdict';
import { allMpis, launchers, type Mpi } from '../test/support/sample-job';
import { startRunningJob, type RunningJob } from './running-job';

const rounds = 3;
const run = promisify(execFile);

/** In milliseconds. */
interface LookTimes {
  gdbs: number;
  attach: number;
  read: number;
  release: number;
}

async function timedLook({ launcherPid }: RunningJob): Promise<{ times: LookTimes; look: ProcessState[] }> {
  const plugins = loadPlugins([]);
  const begin = performance.now();
  let holding = begin;
  const beforeHold = (): void => void (holding = performance.now());
  const { job } = await openJob({ kind: 'launcher', launcherPid }, { plugins, beforeHold });
  const held = performance.now();
  const look = await lookAt(new JobQueries(job, adviceText), job.ranks, plugins.known);
  const read = performance.now();
  await job.release();
  const end = performance.now();
  return { times: { gdbs: holding - begin, attach: held - holding, read: read - held, release: end - read }, look };
}

async function looksAt(job: RunningJob): Promise<string[]> {
  const all: LookTimes[] = [];
  const beyond: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = await timedLook(job);
    // `mpidbg hang` pauses for a second between its two looks; the pause is not counted.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const second = await timedLook(job);
    const before = performance.now();
    const { document } = verdictOf({ target: 'live', looks: [first.look, second.look], seconds: 1 });
    const judged = performance.now() - before;
    if (document.type !== 'collective-missing-rank') throw new Error(document.sentence);
    all.push(first.times, second.times);
    beyond.push([first, second].reduce((sum, { times }) => sum + times.gdbs + times.read + times.release, judged));
  }
  const part = (of: (times: LookTimes) => number): string => median(all.map(of)).toFixed(0);
  return [
    ...[part(({ gdbs }) => gdbs), part(({ attach }) => attach), part(({ read }) => read)],
    ...[part(({ release }) => release), part(({ read, release }) => read + release), median(beyond).toFixed(0)],
  ];
}

async function looksWithoutGdb({ pids }: RunningJob): Promise<string[]> {
  const plugins = loadPlugins([]);
  const held: number[] = [];
  const verdicts: number[] = [];
  const look = async (looks: HeldLooks): Promise<ProcessState[]> => {
    const seen = await looks.look(await processesAt(pids, plugins), new AbortController().signal);
    if (seen === undefined) throw new Error('the ranks could not be looked at without gdb');
    held.push(seen.held);
    return seen.look;
  };
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    const looks = new HeldLooks(plugins, 'gdb');
    const first = await look(looks);
    const { document } = verdictOf({ target: 'live', looks: [first, await look(looks)], seconds: 1 });
    if (document.type !== 'collective-missing-rank') throw new Error(document.sentence);
    verdicts.push(performance.now() - begin);
  }
  return [median(held).toFixed(0), median(verdicts).toFixed(0)];
}

function stacksOf(pid: number): Promise<unknown> {
  return run(
    'gdb',
    ['-nx', '-batch', '-iex', 'set debuginfod enabled off', '-p', String(pid), '-ex', 'thread apply all bt'],
    {
      maxBuffer: 1 << 28,
    },
  );
}

/** As with a loop of gstack, and with all of them in the background. */
async function withoutMpidbg({ pids }: RunningJob): Promise<string[]> {
  const begin = performance.now();
  for (const pid of pids) await stacksOf(pid);
  const inTurn = performance.now();
  await Promise.all(pids.map(stacksOf));
  return [(inTurn - begin).toFixed(0), (performance.now() - inTurn).toFixed(0)];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function row(...cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

async function benchOne(mpi: Mpi, ranks: number, folder: string): Promise<void> {
  const program = join(folder, mpi);
  execFileSync(`mpicc.${mpi}`, ['-g', '-O1', '-o', program, join(__dirname, 'program.c')]);
  const { command, args, env } = launchers[mpi];
  Object.assign(process.env, env);
  const job = await startRunningJob({ launcher: command, launcherArgs: args, program, ranks }, [], ['hang']);
  try {
    row(mpi, ranks, ...(await looksAt(job)), ...(await looksWithoutGdb(job)), ...(await withoutMpidbg(job)));
  } finally {
    await job.end();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const mpis = allMpis.filter((mpi) => !args.some((arg) => /^[a-z]/.test(arg)) || args.includes(mpi));
  const numbers = args.flatMap((arg) => (/^\d+$/.test(arg) ? [Number(arg)] : []));
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-bench-'));
  process.stdout.write(`${cpus().length} processors, load ${loadavg()[0]!.toFixed(1)}; milliseconds\n\n`);
  row(
    'MPI',
    'ranks',
    'gdb',
    'attach',
    'read',
    'let go',
    'held beyond attaching',
    'verdict beyond attaching',
    'held, without gdb',
    'verdict, without gdb',
    'gdb in turn',
    'gdb at once',
  );
  row(...Array<string>(12).fill('---'));
  try {
    for (const mpi of mpis) for (const ranks of numbers.length > 0 ? numbers : [64]) await benchOne(mpi, ranks, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main(process.argv.slice(2));
