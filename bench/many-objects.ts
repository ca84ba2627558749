/**
 * What it costs to list many objects: npm run bench:many [-- MPI...]. For each kind and number, one rank that has so many
 * objects of it is asked for all of that kind, in a process of its own.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { CachedImage } from '../adapter/images/cached-image';
import { LiveImage } from '../adapter/images/live/live-image';
import { listHandles } from '../adapter/query/list-handles';
import type { HandleKind } from '../plugin-api/mpi/records';
import { PluginRegistry } from '../plugin-api/plugins/registry';
import { localProcess } from '../test/support/local-process';
import { allMpis, SampleJob, type Mpi } from '../test/support/sample-job';

/** Windows and files are bounded by what a process may map and open, communicators of MPICH by its 2 048 contexts. */
const numbers: Record<string, readonly number[]> = {
  comm: [1_000, 10_000],
  datatype: [10_000, 100_000],
  errhandler: [10_000],
  file: [1_000],
  group: [10_000],
  info: [10_000],
  message: [10_000],
  op: [10_000],
  request: [10_000, 100_000],
  win: [1_000],
};

interface Cost {
  handles: number;
  /** The processor time of all threads, in milliseconds. */
  cpu: number;
  /** The largest resident set, in MiB. */
  memory: number;
}

async function measure(pid: number, kind: HandleKind): Promise<Cost> {
  const mpi = await new PluginRegistry().open(new CachedImage(new LiveImage(localProcess(pid))));
  if (mpi === undefined) throw new Error(`process ${pid} has no MPI`);
  const before = process.cpuUsage();
  const { length: handles } = await listHandles(mpi, [kind], false, undefined);
  const { user, system } = process.cpuUsage(before);
  return { handles, cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS / 1024 };
}

async function measureJob(mpi: Mpi, kind: string, count: number): Promise<Cost> {
  const args = [kind, String(count)];
  const job = await SampleJob.startWaiting(mpi, 'many', { ranks: 1, args, deadlineMs: 300_000 });
  try {
    const command = [...process.execArgv, __filename, '--pid', String(job.pids[0]), kind];
    return JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })) as Cost;
  } finally {
    await job.kill();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const [option, pid, kind] = args;
  if (option === '--pid') {
    console.log(JSON.stringify(await measure(Number(pid), kind as HandleKind)));
    return;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux\n`);
  console.log('| MPI | kind | listed | CPU, ms | µs for each | memory, MiB |');
  console.log('|---|---|---|---|---|---|');
  for (const mpi of allMpis.filter((each) => args.length === 0 || args.includes(each)))
    for (const [each, counts] of Object.entries(numbers))
      for (const count of counts) {
        const { handles, cpu, memory } = await measureJob(mpi, each, count);
        const row = [mpi, each, handles, cpu.toFixed(0), ((1000 * cpu) / handles).toFixed(0), memory.toFixed(0)];
        console.log(`| ${row.join(' | ')} |`);
      }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
