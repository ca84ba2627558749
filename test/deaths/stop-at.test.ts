/** mpidbg run --stop-at: each rank waits at a place of its program until a session lets it go, or the time is over; the job is as without it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DebugRun } from '../dap/debug-run';
import { openWorkshop } from '../support/compile';
import { runCli, cli, type CliResult } from '../support/run-cli';
import { launchers, type Mpi } from '../support/sample-job';
import { programs } from './death-case';

const source = join(programs, 'relax.c');
const line =
  readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes('stops: here')) + 1;
const printed = ['rank 0: 45.000', 'rank 1: 45.000'];

/** Rank 1 comes to relax() when rank 0 has been there. */
const turns = `#include <mpi.h>
#include <stdio.h>
static int relax(int rank) { return rank + 41; }
int main(int argc, char **argv)
{
    int rank, turn = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Recv(&turn, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    turn = relax(rank);
    if (rank == 0)
        MPI_Send(&turn, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    printf("rank %d: %d\\n", rank, turn);
    return MPI_Finalize();
}
`;

describe('a rank that is to wait for a debugger', () => {
  const workshop = openWorkshop();
  const programOf: Partial<Record<Mpi, string>> = {};
  before(() => {
    programOf.openmpi = workshop.compile('relax-openmpi', readFileSync(source, 'utf8'), 'mpicc.openmpi', ['-g', '-O0']);
    programOf.mpich = workshop.compile('relax-mpich', readFileSync(source, 'utf8'), 'mpicc.mpich', ['-g', '-O2']);
  });
  after(() => workshop.close());

  function wordsOf(mpi: Mpi, place: string, hold: string): string[] {
    const { command, args } = launchers[mpi];
    return ['run', '--stop-at', place, '--hold', hold, '--', command, ...args, '-n', '2', programOf[mpi]!, '7'];
  }

  function environmentOf(mpi: Mpi): NodeJS.ProcessEnv {
    return Object.fromEntries(Object.entries(launchers[mpi].env).map(([name, value]) => [name, value ?? undefined]));
  }

  async function run(mpi: Mpi, place: string, hold: string): Promise<CliResult> {
    return runCli(wordsOf(mpi, place, hold), undefined, environmentOf(mpi));
  }

  function isAsAlone({ status, stdout }: CliResult): void {
    assert.equal(status, 7);
    assert.deepEqual(stdout.trim().split('\n').toSorted(), printed);
  }

  it('goes on when the time is over', async () => {
    const result = await run('mpich', 'MPI_Init', '1s');
    isAsAlone(result);
    assert.match(result.stderr, /mpidbg: rank [01] waits for a debugger in MPI_Init\b/);
    assert.match(result.stderr, /mpidbg: the job is held for 1 s\n/);
    assert.match(result.stderr, /no debugger has let rank.* go on: the time is over, and the job goes on/);
  });

  it('is told that no program has the place', async () => {
    const result = await run('mpich', 'relx', '10m');
    isAsAlone(result);
    assert.match(result.stderr, /no program of the job has relx \(--stop-at\)/);
    assert.doesNotMatch(result.stderr, /waits for|no rank has come/);
  });

  it('is told that the program of another rank has no such place', async () => {
    const options = ['-g', '-O0', '-Drelax=slacken'];
    const other = workshop.compile('slacken', readFileSync(source, 'utf8'), 'mpicc.mpich', options);
    const result = await runCli([...wordsOf('mpich', 'relax', '1s'), ':', '-n', '1', other, '7']);
    assert.equal(result.status, 7);
    assert.match(result.stderr, /mpidbg: rank [01] waits for a debugger in relax /);
    assert.match(
      result.stderr,
      /mpidbg: the program of rank 2 has no relax \(--stop-at\), as far as gdb knows: it does not wait\n/,
    );
  });

  it('never comes there', async () => {
    const result = await run('openmpi', 'MPI_Ssend', '10m');
    isAsAlone(result);
    assert.match(result.stderr, /no rank has come to MPI_Ssend \(--stop-at\)/);
  });

  it('is at its line in a look, which leaves it there, and in a session, which lets it go', async () => {
    const words = wordsOf('openmpi', `relax-openmpi.c:${line}`, '10m');
    const child = spawn(process.execPath, [cli, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environmentOf('openmpi') },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exit = once(child, 'exit');
    while (!stderr.includes('all 2 ranks wait')) await once(child.stderr, 'data');
    const launcherPid = Number(/--launcher (\d+)/.exec(stderr)?.[1]);
    for (const expression of ['omega', 'i']) {
      const { stdout: value, status } = await runCli(['print', expression, '--launcher', String(launcherPid)]);
      assert.equal(status, 0);
      assert.match(value, expression === 'omega' ? /0-1 {2}0\.5/ : /0-1 {2}0/);
    }
    const session = await DebugRun.open();
    await session.attach({ launcherPid });
    await session.nextStop();
    for (const rank of [0, 1]) {
      const { name, line: at } = await session.topFrame(rank);
      assert.deepEqual([name, at], ['relax', line]);
      assert.equal((await session.local(rank, 'i')).value, '0');
    }
    await session.client.request('next', { threadId: await session.threadOf(0) });
    await session.nextStop();
    assert.equal((await session.topFrame(0)).line, line + 1);
    await session.client.request('continue', { threadId: await session.threadOf(0) });
    assert.deepEqual(await exit, [7, null]);
    isAsAlone({ status: 7, stdout, stderr });
    assert.doesNotMatch(stderr, /the time is over/);
    await session.close();
  });

  it('comes there in a session that was there before', async () => {
    const program = workshop.compile('turns', turns, 'mpicc.mpich', ['-g', '-O0']);
    const words = [...wordsOf('mpich', 'relax', '10m').slice(0, -2), program];
    const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exit = once(child, 'exit');
    while (!/--launcher \d+/.test(stderr)) await once(child.stderr, 'data');
    const session = await DebugRun.open();
    await session.attach({ launcherPid: Number(/--launcher (\d+)/.exec(stderr)?.[1]) });
    await session.nextStop();
    await session.client.request('continue', { threadId: await session.threadOf(0) });
    const { reason } = await session.nextStop();
    assert.equal(reason, 'breakpoint');
    const { name, line: at } = await session.topFrame(1);
    assert.deepEqual([name, at], ['relax', 3]);
    assert.equal((await session.local(1, 'rank')).value, '1');
    await session.client.request('stepOut', { threadId: await session.threadOf(1) });
    await session.nextStop();
    assert.equal((await session.topFrame(1)).name, 'main');
    await session.client.request('continue', { threadId: await session.threadOf(1) });
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(stdout.trim().split('\n').toSorted(), ['rank 0: 41', 'rank 1: 42']);
    assert.doesNotMatch(stderr, /no rank has come/);
    await session.close();
  });
});
