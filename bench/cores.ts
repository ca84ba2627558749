/**
 * The core files of a job: npm run bench:cores [-- openmpi|mpich] [CORES...]. For each number of cores and each MPI: seconds
 * until they are open and until the first stacks are there, CPU seconds and MiB of all that the debugger takes; with
 * mpidbg, and with one gdb per core, in turn. The cores are the kernel's, of one job that is ended by a signal.
 */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { gdbPerCore, mpidbgOnCores, type OpenedCores } from './core-debuggers';
import { writeCoresBesideTheProgram } from '../scripts/core-pattern.mjs';
import { CoreFolder, endAllBy } from '../test/support/core-files';
import { launchers } from './launchers';
import { startRunningJob } from './running-job';

const debuggers: Record<string, (program: string, cores: readonly string[]) => Promise<OpenedCores>> = {
  mpidbg: mpidbgOnCores,
  'gdb per core': gdbPerCore,
};

/** The cores of a job all of whose ranks a signal ended while they slept behind MPI_Init. */
async function coresOf(folder: CoreFolder, mpi: keyof typeof launchers, program: string, ranks: number) {
  const restore = writeCoresBesideTheProgram();
  try {
    const { launcher, launcherArgs } = launchers[mpi];
    const job = await startRunningJob({ launcher, launcherArgs, program, ranks }, folder.inFolderOfRank());
    await endAllBy('SIGQUIT', job);
    await job.end();
  } finally {
    restore();
  }
  return [...folder.found(program, ranks).values()];
}

/** The columns of one row, without what it is about. */
async function measure(open: () => Promise<OpenedCores>): Promise<string[]> {
  const begin = performance.now();
  const opened = await open();
  const openedAfter = performance.now() - begin;
  await opened.stacks();
  const stacksAfter = performance.now() - begin;
  const { cpu, memory } = opened.cost();
  await opened.end();
  return [(openedAfter / 1000).toFixed(2), (stacksAfter / 1000).toFixed(2), cpu.toFixed(2), memory.toFixed(0)];
}

async function main(): Promise<void> {
  process.env.OMPI_ALLOW_RUN_AS_ROOT = process.env.OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = '1';
  const given = process.argv.slice(2);
  const chosen = given.filter((each) => each in launchers);
  const numbers = given.filter((each) => /^\d+$/.test(each)).map(Number);
  const counts = numbers.length > 0 ? numbers : [1, 16, 64];
  const columns = ['MPI', 'cores', 'debugger', 'open, s', 'first stacks, s', 'CPU, s', 'PSS, MiB', 'load'];
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Linux\n`);
  console.log(`| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`);
  const sizes: string[] = [];
  for (const mpi of Object.keys(launchers) as (keyof typeof launchers)[]) {
    if (chosen.length > 0 && !chosen.includes(mpi)) continue;
    const folder = new CoreFolder();
    try {
      const program = join(folder.path, 'program');
      execFileSync(launchers[mpi].compiler, ['-g', '-O0', '-o', program, join(__dirname, 'program.c')]);
      const cores = await coresOf(folder, mpi, program, Math.max(...counts));
      const { size, blocks } = statSync(cores[0]!);
      sizes.push(`${mpi}: a core of ${(size / 1048576).toFixed(0)} MiB, ${(blocks / 2048).toFixed(0)} on disk`);
      for (const count of counts) {
        for (const [name, open] of Object.entries(debuggers)) {
          const cells = await measure(() => open(program, cores.slice(0, count)));
          console.log(`| ${[mpi, count, name, ...cells, loadavg()[0]?.toFixed(0)].join(' | ')} |`);
        }
      }
    } finally {
      folder.remove();
    }
  }
  console.log(`\n${sizes.join('\n')}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
