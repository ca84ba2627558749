/**
 * Ranks in containers of Charliecloud: a root directory and a user namespace of their own, in which the program has a path that means nothing
 * outside. They see /tmp, but not the folder of mpidbg.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { cli, runCli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';
import { ShellJob } from '../support/shell-job';

const source = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static int lap = 41;
int main(int argc, char **argv)
{
    int rank, sent[8] = {0}, got[8];
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    lap++; // set
    printf("lap %d at %d %d\\n", lap, (int)getpid(), rank);
    fflush(stdout);
    if (rank == 0 && argc > 1)
        MPI_Send(sent, 8, MPI_INT, 1, 7, ocean);
    if (rank == 1)
        MPI_Recv(got, 4, MPI_INT, 0, 7, ocean, MPI_STATUS_IGNORE); // receive
    MPI_Barrier(ocean); // barrier
    MPI_Finalize();
    return 0;
}
`;
const lineOf = (mark: string): number => source.slice(0, source.indexOf(`// ${mark}`)).split('\n').length;

describe('ranks in containers', () => {
  let workshop: Workshop;
  let image: string;
  /** The variable is set by every login. */
  const env = { USER: 'root' };
  before(() => {
    workshop = openWorkshop();
    image = join(workshop.directory, 'image');
    for (const name of ['usr', 'etc', 'proc', 'dev', 'tmp', 'sys', 'home', 'root', 'var', 'run', 'app'])
      mkdirSync(join(image, name), { recursive: true });
    for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(image, name));
    for (const name of ['passwd', 'group', 'hosts', 'ld.so.cache'])
      copyFileSync(`/etc/${name}`, join(image, 'etc', name));
    cpSync('/etc/alternatives', join(image, 'etc', 'alternatives'), { recursive: true, verbatimSymlinks: true });
    const asInside = `-fdebug-prefix-map=${workshop.directory}=/app`;
    for (const mpi of allMpis) {
      const built = workshop.compile(mpi, source, `mpicc.${mpi}`, ['-g', asInside]);
      for (const file of [built, `${built}.c`]) renameSync(file, join(image, 'app', basename(file)));
    }
  });
  after(() => workshop.close());

  /** Two ranks share the namespaces of one container: MPI's shared memory needs that. */
  const words = (mpi: Mpi, ...args: string[]): string[] => [
    ...['ch-run', '--join', '--join-ct=2', '--join-tag=1', '-b', '/usr:/usr'],
    ...[image, '--', `/app/${mpi}`, ...args],
  ];

  for (const mpi of allMpis) {
    it(`of ${mpi} say how they die, with the line`, () => {
      const { command, args, env: ofMpi } = launchers[mpi];
      const job = [command, ...args, '-n', '2', ...words(mpi, 'die')];
      const { stderr } = spawnSync(process.execPath, [cli, 'run', '--', ...job], {
        ...{ encoding: 'utf8', env: { ...process.env, ...ofMpi, ...env }, timeout: patienceMs },
      });
      const places = `at ${mpi}\\.c:${lineOf('receive')} in main\n +rank 0 was in MPI_Barrier \\(${mpi}\\.c:${lineOf('barrier')}\\)`;
      assert.match(stderr, new RegExp(`mpidbg: rank 1 died of MPI_ERR_TRUNCATE.*\n +in MPI_Recv\\(.*\n +${places}`));
      assert.doesNotMatch(stderr, /cannot be preloaded/);
    });

    it(`of ${mpi} are looked at: lines, variables, handles`, async () => {
      const job = await ShellJob.start(mpi, `USER=root "$@" -n 2 ${words(mpi).join(' ')}`, 2);
      try {
        const ask = async (...asked: string[]) => (await runCli([...asked, '--launcher', String(job.pid)])).stdout;
        const printed = /lap (\d+)/.exec(job.lines.join('\n'))![1]!;
        assert.match(await ask('print', 'lap'), new RegExp(`^lap +0-1 +${printed}$`, 'm'));
        const receive = `MPI_Recv \\(${mpi}\\.c:${lineOf('receive')}\\)`;
        assert.match(await ask('hang'), new RegExp(`Rank 1 waits in ${receive} for a message from rank 0.*"ocean"`));
        assert.match(await ask('show', 'ocean'), /MPI_Comm "ocean"/);
      } finally {
        await job.end();
      }
    });

    it(`of ${mpi} are debugged, where the runtime is what is launched`, async () => {
      const [program = '', ...args] = words(mpi);
      const run = await DebugRun.open();
      try {
        const { command, env: ofMpi } = launchers[mpi];
        const configuration = { program: `/usr/bin/${program}`, args, ranks: 2, launcher: command };
        const launched = run.client.request('launch', { ...configuration, env: { ...ofMpi, ...env } });
        await run.client.waitFor('initialized');
        const path = `/app/${mpi}.c`;
        await run.client.request('setBreakpoints', { source: { path }, breakpoints: [{ line: lineOf('receive') }] });
        await run.client.request('configurationDone');
        await launched;
        assert.equal((await run.nextStop()).reason, 'breakpoint');
        const [{ id } = { id: 0 }] = await run.frames(await run.threadOf(1));
        const { value } = (await run.locals(id)).find(({ name }) => name === 'ocean')!;
        assert.equal(value, 'MPI_Comm "ocean" · rank 1 of 2');
        assert.doesNotMatch(run.client.outputText('console'), /warning/);
      } finally {
        await run.close();
      }
    });

    it(`of ${mpi} have their sources, which are only there`, async () => {
      const job = await ShellJob.start(mpi, `USER=root "$@" -n 2 ${words(mpi).join(' ')}`, 2);
      const run = await DebugRun.open();
      try {
        await run.attach({ launcherPid: job.pid });
        await run.nextStop();
        const frames = await run.frames(await run.threadOf(1));
        const told = frames.find(({ name }) => name === 'main')!.source!;
        assert.equal(told.path, `/app/${mpi}.c`);
        const request = { source: told, sourceReference: told.sourceReference };
        const { content } = await run.client.request<DebugProtocol.SourceResponse['body']>('source', request);
        assert.equal(content, source);
      } finally {
        await run.close();
        await job.end();
      }
    });
  }
});
