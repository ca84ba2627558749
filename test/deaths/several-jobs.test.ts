/** A script that starts several jobs under one mpidbg run: how each of them died is told, and nothing of those that end well. */
import assert from 'node:assert/strict';
import { runCli } from '../support/run-cli';
import { allMpis, launchers, markerLine, samplePath } from '../support/sample-job';

for (const mpi of allMpis)
  it(`each job of a script that died is told, with ${mpi}`, async () => {
    const { command, args, env } = launchers[mpi];
    const job = (how: string): string => [command, ...args, '-n', '2', samplePath(mpi, 'dying'), how].join(' ');
    const script = [job('abort'), job('late'), job('exit'), job('truncate'), 'exit 7'].join('; ');
    const { stderr, status } = await runCli(['run', '--', 'sh', '-c', script], undefined, env);
    const lines = stderr.split('\n');
    const told = lines.slice(lines.findIndex((line) => line.startsWith('mpidbg: ')));
    const at = (marker: string): string => `dying.c:${markerLine('dying.c', marker)}`;
    const deaths = told.flatMap((line, i) => (line.startsWith('mpidbg: ') ? [told.slice(i, i + 4)] : []));
    assert.equal(status, 7, stderr);
    assert.equal(deaths.length, 3, stderr);
    for (const [i, [how, first, place]] of [
      ['abort', 'mpidbg: rank 1 called MPI_Abort("ocean", 5)', at('aborts')],
      ['exit', 'mpidbg: rank 1 called exit(3)', at('exits')],
      ['truncate', 'mpidbg: rank 1', at('receives too much')],
    ].entries()) {
      assert.ok(deaths[i]![0]!.startsWith(first!), stderr);
      assert.equal(deaths[i]![1], `  program: ${samplePath(mpi, 'dying')} ${how}`);
      assert.ok(deaths[i]!.join('\n').includes(place!), stderr);
    }
  });
