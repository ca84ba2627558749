/**
 * What `mpidbg run` costs a job: npm run bench:deaths. Instructions of a halo exchange of one rank with itself, counted by callgrind: as it is, with
 * deaths watched, and with calls collected; the time of an exchange of two ranks; how long a job of 64 ranks takes to end when one dies;
 * memory of a rank; and what mpidbg takes to start. bench/nan.ts has the search for NaN.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import type { Mpi } from '../test/support/sample-job';
import { HaloJob, run, spread, type Variants } from './halo-job';

const rounds = 7;

const variants: Variants = {
  'as it is': [],
  'mpidbg run': [...run, '--'],
  '--collect calls': [...run, '--collect', 'calls', '--'],
};

class Bench extends HaloJob {
  /** Milliseconds from the moment at which a rank has died to the end of the launcher, or of mpidbg. */
  async death(before: readonly string[], ranks: number): Promise<number> {
    const { first, others, options } = this.launch(ranks, before, [this.program, '0', '8', 'dies']);
    const child = spawn(first, others, { env: options.env, stdio: ['ignore', 'pipe', 'ignore'] });
    let told = '';
    child.stdout.on('data', (part: Buffer) => (told += String(part)));
    await once(child, 'close');
    return (Number(process.hrtime.bigint()) - Number(/^\d+$/m.exec(told)?.[0])) / 1e6;
  }

  /** KiB of a rank that are mpidbg's own, and cannot be shared with other processes. */
  async memory(before: readonly string[]): Promise<number> {
    const { first, others, options } = this.launch(1, before, [this.program, '1000000000', '8']);
    const child = spawn(first, others, { env: options.env, stdio: 'ignore' });
    try {
      for (;;) {
        const rank = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isOf(pid, this.program));
        const parts =
          rank === undefined ? [] : readFileSync(`/proc/${rank}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
        const own = parts.filter((part) => part.split('\n')[0]!.includes('mpidbg'));
        if (own.length > 0 && parts.some((part) => part.includes('libmpi')))
          return own.reduce((sum, part) => sum + Number(/^Private_Dirty: +(\d+)/m.exec(part)?.[1] ?? 0), 0);
        // Nothing announces the moment at which a starting rank maps the library: look again until it has.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  }
}

/** Its program is this one. */
function isOf(pid: string, program: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] === program;
  } catch {
    return false;
  }
}

function startTimes(before: readonly string[]): number[] {
  return Array.from({ length: 20 }, () => {
    const [first = '', ...others] = [...before, 'true'];
    const begin = performance.now();
    spawnSync(first, others, { stdio: 'ignore' });
    return performance.now() - begin;
  });
}

async function benchOf(mpi: Mpi): Promise<void> {
  const bench = new Bench(mpi);
  try {
    for (const bytes of [8192, 1 << 20])
      for (const [name, before] of Object.entries(variants))
        console.log(`${mpi}, ${bytes} bytes, ${name}: ${bench.instructions(before, bytes).toFixed(0)} instructions`);
    for (const bytes of [8192, 1 << 20]) {
      const times: Record<string, number[]> = {};
      for (let i = 0; i < rounds; i++)
        for (const [name, before] of Object.entries(variants)) (times[name] ??= []).push(bench.time(before, bytes));
      for (const [name, took] of Object.entries(times))
        console.log(`${mpi}, ${bytes} bytes, ${name}: ${spread(took)} ns`);
    }
    for (const name of ['as it is', 'mpidbg run'] as const) {
      const took: number[] = [];
      for (let i = 0; i < 3; i++) took.push(await bench.death(variants[name]!, 64));
      console.log(`${mpi}, 64 ranks, from a death to the end, ${name}: ${spread(took)} ms`);
    }
    console.log(`${mpi}, memory of a rank, mpidbg run: ${await bench.memory(variants['mpidbg run']!)} KiB`);
  } finally {
    bench.remove();
  }
}

async function main(): Promise<void> {
  for (const name of ['as it is', 'mpidbg run'] as const)
    console.log(`start, ${name}: ${spread(startTimes(variants[name]!))} ms`);
  for (const mpi of ['openmpi', 'mpich'] as const) await benchOf(mpi);
}

void main();
