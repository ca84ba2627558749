/**
 * What the collector costs: npm run bench:collector [-- PROGRAM ARGUMENT...]. Nanoseconds of a record; CPU of its thread for one
 * sample; what an OpenMP region and a task take with its tool; instructions and time of a program without it, with it preloaded but off, and on, in turns (PROGRAM: a real application;
 * default: a sample that makes and frees objects); how fast records are read; and what it costs to watch 20 values of each of 64
 * sleeping ranks ten times a second for a minute.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { overlayDocument } from '../adapter/query/overlays/overlay-document';
import { seeRanks } from '../adapter/query/overlays/seen-ranks';
import { loadPlugins } from '../adapter/query/load-plugin';
import { LiveImage } from '../adapter/images/live/live-image';
import { overlaysOf } from '../plugin-api/answers/text/overlay-ranks';
import { Region } from '../plugin-api/overlays/region';
import { lastRecords } from '../plugin-api/overlays/rings';
import { isUnavailable } from '../plugin-api/result';
import { openWorkshop } from '../test/support/compile';
import { localProcess } from '../test/support/local-process';
import { compileRingWriters } from '../test/support/ring-writers';
import { runCli } from '../test/support/run-cli';
import { launchers, SampleJob, samplePath } from '../test/support/sample-job';

const rounds = 7;
const watched = { ranks: 64, values: 20, seconds: 60, aSecond: 10 };

/** "12.3 (11.9 to 14.0)": the median, and from the least to the most. */
function spread(values: readonly number[], digits = 1): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((i) => sorted[i]!.toFixed(digits));
  return `${median} (${least} to ${most})`;
}

async function through(): Promise<string[]> {
  return (await runCli(['collector'])).stdout.trim().split(' ');
}

async function benchRecords(): Promise<void> {
  const workshop = openWorkshop();
  try {
    const program = compileRingWriters(workshop);
    const costs = Array.from({ length: rounds }, () => Number(execFileSync(program, ['time', '2000000'])));
    console.log(`a record: ${spread(costs)} ns, one thread, 5 words, time included`);
    const writers = spawn(program, ['write', '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(writers.stdout, 'data');
    await sleep(500);
    writers.stdin.write('end\n');
    await once(writers.stdout, 'data');
    const image = new LiveImage(localProcess(writers.pid!));
    const region = await Region.open(image);
    const speeds: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const begin = performance.now();
      const { length } = await lastRecords(region, Infinity, () => true);
      speeds.push(length / (performance.now() - begin));
    }
    console.log(`reading: ${spread(speeds, 0)} records a millisecond, of 1 to 30 words`);
    image.close();
    writers.kill();
    await once(writers, 'close');
  } finally {
    workshop.close();
  }
}

/** Nanoseconds that the collector's thread has run. */
function collectorTime(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const own = tasks.find((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim() === 'mpidbg-collect');
  return Number(readFileSync(`/proc/${pid}/task/${own}/schedstat`, 'utf8').split(' ')[0]);
}

async function benchSamples(): Promise<void> {
  const periodMs = 10;
  const seconds = 5;
  const job = await SampleJob.startWaiting('openmpi', 'tool-variables', {
    ...{ ranks: 1, through: [...(await through()), `MPIDBG_COLLECT_PERIOD=${periodMs}`] },
  });
  const costs: number[] = [];
  for (let i = 0; i < 3; i++) {
    const before = collectorTime(job.pids[0]!);
    await sleep(1000 * seconds);
    costs.push(((collectorTime(job.pids[0]!) - before) / (1000 * seconds)) * periodMs);
  }
  console.log(
    `a sample: ${spread(costs, 0)} ns of CPU, the thread's waking included; Open MPI, 1 rank, 4 communicators`,
  );
  await job.finish();
}

/** A program alone, with this before it: how long it took, in milliseconds. */
function timeOf(before: readonly string[], program: readonly string[], env: NodeJS.ProcessEnv): number {
  const begin = performance.now();
  const [command = '', ...args] = [...before, ...program];
  const { status } = spawnSync(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${program.join(' ')} ended with status ${status}`);
  return performance.now() - begin;
}

/** The count of callgrind where the machine has no counters for perf; undefined: neither is there. */
function instructionsOf(
  before: readonly string[],
  program: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  const options = { env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const perf = ['stat', '-x', ',', '-e', 'instructions:u', ...before, ...program];
  const counted = /^(\d+),/m.exec(spawnSync('perf', perf, options).stderr ?? '');
  if (counted !== null) return `${counted[1]} (perf)`;
  const [set = 'env', ...added] = before.length > 0 ? before : ['env'];
  const grind = [...added, 'valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', ...program];
  const collected = /Collected : (\d+)/.exec(spawnSync(set, grind, options).stderr ?? '');
  return collected === null ? undefined : `${collected[1]} (callgrind: this machine has no counters)`;
}

async function benchPrograms(application: readonly string[]): Promise<void> {
  const on = await through();
  const variants = { without: ['env'], off: on.filter((word) => !word.startsWith('MPIDBG_')), on };
  const fixed = [samplePath('mpich', 'tool-faults'), 'ten-thousand'];
  for (const [name, before] of Object.entries(variants))
    console.log(
      `instructions of 10 000 communicators, ${name}: ${instructionsOf(before, fixed, {}) ?? 'cannot be counted'}`,
    );
  const launcher = [launchers.openmpi.command, ...launchers.openmpi.args, '-n', '2'];
  const program = application.length > 0 ? application : [...launcher, samplePath('openmpi', 'busy')];
  const times: Record<string, number[]> = { without: [], off: [], on: [] };
  for (let i = 0; i < rounds; i++)
    for (const [name, before] of Object.entries(variants))
      times[name]!.push(timeOf(before, program, launchers.openmpi.env));
  for (const [name, took] of Object.entries(times)) console.log(`${program.join(' ')}, ${name}: ${spread(took, 0)} ms`);
}

/** Nanoseconds of an empty parallel region of one thread and of two, and of a task, on LLVM's runtime. */
const forkJoin = `
#include <omp.h>
#include <stdio.h>
static double took(double begin, int count) { return (omp_get_wtime() - begin) * 1e9 / count; }
int main(void) {
    enum { COUNT = 200000 };
    for (int threads = 1; threads <= 2; threads++) {
        const double begin = omp_get_wtime();
        for (int i = 0; i < COUNT; i++) {
#pragma omp parallel num_threads(threads)
            __asm__ volatile("");
        }
        printf("%f ", took(begin, COUNT));
    }
    const double begin = omp_get_wtime();
#pragma omp parallel num_threads(1)
    for (int i = 0; i < COUNT; i++) {
#pragma omp task
        __asm__ volatile("");
    }
    printf("%f\\n", took(begin, COUNT));
}`;

async function benchForkJoin(): Promise<void> {
  const workshop = openWorkshop();
  try {
    const program = workshop.compile('fork-join', forkJoin, 'gcc', ['-O2', '-fopenmp']);
    const [, ...on] = (await runCli(['collector', '--collect', 'ompt', '--libomp', 'libomp.so.5'])).stdout
      .trim()
      .split(' ');
    const off = on.filter((word) => !word.startsWith('MPIDBG_'));
    for (const [name, env] of Object.entries({ without: ['LD_PRELOAD=libomp.so.5'], off, on })) {
      const runs = Array.from({ length: rounds }, () =>
        execFileSync('env', [...env, program], { encoding: 'utf8' })
          .trim()
          .split(' ')
          .map(Number),
      );
      const [one, two, task] = [0, 1, 2].map((i) =>
        spread(
          runs.map((run) => run[i]!),
          0,
        ),
      );
      console.log(`a parallel region of 1 thread ${one} ns, of 2 ${two} ns, a task ${task} ns: OMPT ${name}`);
    }
  } finally {
    workshop.close();
  }
}

async function benchWatching(): Promise<void> {
  const { ranks, values, seconds, aSecond } = watched;
  const job = await SampleJob.startWaiting('mpich', 'alone', { ranks, through: await through(), deadlineMs: 300_000 });
  const signal = new AbortController().signal;
  const target = { kind: 'launcher', launcherPid: job.launcherPid } as const;
  const seen = await seeRanks(target, { plugins: loadPlugins([]), ranks: undefined, gdb: undefined, signal });
  // MPICH as shipped has no performance variables: so many control variables are as much work.
  const all = await overlayDocument('live', seen.ranks.slice(0, 1), { part: 'cvars', patterns: [] });
  const cvars = overlaysOf(all)[0]?.cvars;
  if (cvars === undefined || isUnavailable(cvars)) throw new Error('the collector tells nothing');
  const patterns = cvars.slice(0, values).map(({ name }) => name);
  const look = () => overlayDocument('live', seen.ranks, { part: 'cvars', patterns });
  for (let i = 0; i < 50; i++) await look();
  const begin = { cpu: process.cpuUsage(), memory: process.memoryUsage().rss, time: performance.now() };
  for (let turn = 1; turn <= seconds * aSecond; turn++) {
    await look();
    await sleep(Math.max(0, begin.time + (1000 * turn) / aSecond - performance.now()));
  }
  const { user, system } = process.cpuUsage(begin.cpu);
  const share = (user + system) / 1000 / (performance.now() - begin.time);
  const grown = (process.memoryUsage().rss - begin.memory) / 2 ** 20;
  console.log(
    `watching ${values} values of ${ranks} ranks, ${aSecond} times a second for ${seconds} s: ${(100 * share).toFixed(1)} % of a core, memory ${grown.toFixed(1)} MiB more`,
  );
  await seen.end();
  await job.kill();
}

async function main(application: readonly string[]): Promise<void> {
  await benchRecords();
  await benchSamples();
  await benchForkJoin();
  await benchPrograms(application);
  await benchWatching();
}

void main(process.argv.slice(2));
