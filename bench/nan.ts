/**
 * What it costs to look for the first NaN: npm run bench:nan [-- openmpi|mpich]. A halo exchange (four messages of BYTES and a reduction) as it is, with
 * --trap-fp, with calls collected and with --watch-nan: instructions of one rank with itself, counted by callgrind, and the time of
 * two ranks, one variant after the other in each round. The same in a debug session, without the filter Floating Point and with it.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { DapClient } from '../test/support/dap-client';
import { allMpis, launchers, type Mpi } from '../test/support/sample-job';
import { HaloJob, run, spread, type Variants } from './halo-job';

const rounds = 7;
const sizes = [8192, 1 << 20];

const variants: Variants = {
  'as it is': [],
  '--trap-fp invalid,zero,overflow': [...run, '--trap-fp', 'invalid,zero,overflow', '--'],
  '--collect calls': [...run, '--collect', 'calls', '--'],
  '--watch-nan': [...run, '--watch-nan', '--'],
  '--watch-nan --watch-nan-bytes 65536': [...run, '--watch-nan', '--watch-nan-bytes', '65536', '--'],
};

const sessions = { 'in a debug session': false, 'with the filter Floating Point': true };

/** Nanoseconds of one exchange of two ranks under the debug adapter. */
async function timeInSession({ mpi, program }: HaloJob, bytes: number, isFiltered: boolean): Promise<number> {
  const { client, process: adapter } = DapClient.spawn(join(__dirname, '..', 'dist', 'adapter.js'));
  const exited = once(adapter, 'exit');
  await client.request('initialize', { adapterID: 'mpidbg' });
  const { command: launcher, env } = launchers[mpi];
  const launched = client.request('launch', { program, ranks: 2, args: HaloJob.words(bytes), launcher, env });
  await Promise.race([client.waitFor('initialized'), launched]);
  const filterOptions = isFiltered ? [{ filterId: 'floating-point' }] : [];
  await client.request('setExceptionBreakpoints', { filters: [], filterOptions });
  await client.request('configurationDone');
  await launched;
  await client.waitFor('terminated');
  await client.request('disconnect', {});
  adapter.stdin?.end();
  await exited;
  const [, time] = /^(?:\[0\] )?(\d+)$/m.exec(client.outputText('stdout')) ?? [];
  if (time === undefined) throw new Error(`the program has told no time: ${client.outputText('stdout')}`);
  return Number(time);
}

function tell(mpi: Mpi, bytes: number, variant: string, what: string): void {
  console.log(`${mpi}, ${bytes / 1024} KiB, ${variant}: ${what}`);
}

async function benchOf(mpi: Mpi): Promise<void> {
  const job = new HaloJob(mpi);
  try {
    for (const bytes of sizes)
      for (const [name, before] of Object.entries(variants))
        tell(mpi, bytes, name, `${job.instructions(before, bytes).toFixed(0)} instructions`);
    for (const bytes of sizes) {
      const times: Record<string, number[]> = {};
      for (let i = 0; i < rounds; i++) {
        for (const [name, before] of Object.entries(variants)) (times[name] ??= []).push(job.time(before, bytes));
        for (const [name, isFiltered] of Object.entries(sessions))
          (times[name] ??= []).push(await timeInSession(job, bytes, isFiltered));
      }
      for (const [name, took] of Object.entries(times)) {
        const microseconds = took.map((each) => each / 1000);
        tell(mpi, bytes, name, `${spread(microseconds, 1)} µs`);
      }
    }
  } finally {
    job.remove();
  }
}

async function main(): Promise<void> {
  const [asked] = process.argv.slice(2);
  for (const mpi of allMpis) if (asked === undefined || asked === mpi) await benchOf(mpi);
}

void main();
