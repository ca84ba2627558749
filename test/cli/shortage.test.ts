/** Too few descriptors, too little stack: every command says so, and nothing else of what it could not look at. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DebugRun } from '../dap/debug-run';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { cli } from '../support/run-cli';
import { eitherMpi, launchers, SampleJob } from '../support/sample-job';

const told = 'no more files may be opened here: raise the limit, for example with "ulimit -n 1024"';

describe('a limit of open files', () => {
  let job: SampleJob;
  before(async () => (job = await SampleJob.startWaiting('openmpi', 'communicators')));
  after(() => job.finish());

  function info(descriptors: number): string {
    const command = `ulimit -n ${descriptors}; exec "${process.execPath}" "${cli}" info --launcher ${job.launcherPid}`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return stdout + stderr;
  }

  it('that lets no process be looked at', () => {
    assert.equal(info(24), `mpidbg: ${told}\n`);
  });

  for (const descriptors of [32, 48, 64, 80, 96, 128])
    it(`of ${descriptors}: all is answered, or what is not says why`, () => {
      const text = info(descriptors);
      if (text === `mpidbg: ${told}\n`) return;
      assert.match(text, /^ranks +0-3 on /m);
      assert.match(text, new RegExp(`^layout +proved by|${told}`, 'm'));
    });

  it('below which there are more processes on this machine', () => {
    assert.match(info(256), /^layout +proved by/m);
  });
});

describe('a limit of the stack', () => {
  it('that may be the end of a gdb is named', () => {
    const command = `ulimit -s 512; exec "${process.execPath}" "${cli}" stacks --pid ${process.pid} --gdb /bin/false`;
    const { stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    assert.match(stderr, /it ended with status 1 \(the limit "ulimit -s" of 512 KiB may be the cause: raise it\)/);
  });
});

const dies = `#include <mpi.h>
#include <stdlib.h>
int main(void)
{
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
`;

for (const mpi of eitherMpi('shortage'))
  describe(`what a session or a run with ${mpi} lacks`, () => {
    let workshop: Workshop;
    before(() => (workshop = openWorkshop()));
    after(() => workshop.close());

    /** What mpidbg says last of a job of which one rank dies. `limit`: of open files. */
    function saidOfDeath(program: string, path: string, limit = 1024): string {
      const { command, args, env } = launchers[mpi];
      const launcher = execFileSync('which', [command], { encoding: 'utf8' }).trim();
      const job = [process.execPath, cli, 'run', '--', launcher, ...args, '-n', '2', program];
      const { stderr } = spawnSync('/bin/sh', ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...job], {
        ...{ env: { ...process.env, ...env, PATH: path }, encoding: 'utf8', timeout: patienceMs },
      });
      return stderr.slice(stderr.indexOf('mpidbg: '));
    }

    it('is named where a rank dies: open files, and perl', () => {
      const program = workshop.compile(`dies-${mpi}`, dies, `mpicc.${mpi}`);
      assert.match(
        saidOfDeath(program, process.env.PATH ?? '', 48),
        new RegExp(`^mpidbg: rank 1 called abort\\(\\)\n  the stacks of the ranks were not read: ${told}\n$`),
      );
      // Open MPI wants one.
      symlinkSync('/bin/true', join(workshop.directory, 'ssh'));
      assert.match(
        saidOfDeath(program, workshop.directory),
        /^mpidbg: rank 1 called abort\(\)\n {2}rank 0 was somewhere that could not be read \(perl cannot be run: install perl/,
      );
    });

    for (const descriptors of [36, 40, 48])
      it(`is named where a session may open ${descriptors} files, and its ranks stop all the same`, async () => {
        const limit = `ulimit -n ${descriptors}; exec "$@"`;
        const options = { mpi, program: 'ring', ranks: 2, through: ['sh', '-c', limit, 'sh'] };
        const breakpoints = [{ source: 'ring.c', marker: 'token arrived' }];
        const { run, stop } = await DebugRun.stopped({ ...options, breakpoints });
        assert.equal(stop.reason, 'breakpoint');
        await run.close();
      });
  });
