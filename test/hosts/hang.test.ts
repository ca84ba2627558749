/** Why a job on two hosts hangs, where its MPI does not count messages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launcherArgs } from './cluster';
import { TwoHosts } from './two-hosts';

describe('a job of mpich that hangs on two hosts', () => {
  let hosts: TwoHosts;
  let program: string;
  before(async () => {
    hosts = await TwoHosts.start();
    program = join(hosts.newFolder(), 'messages');
    const source = join(__dirname, '..', 'hang', 'programs', 'messages.c');
    await promisify(execFile)('mpicc.mpich', ['-g', '-O1', '-w', '-o', program, source]);
  });
  after(() => hosts.stop());

  const verdicts = [
    [
      'recv_ring',
      'p2p-cycle',
      /^Ranks 0-3 wait for each other in a ring \(rank 0 for rank 3, .*\): each waits in MPI_Recv /m,
    ],
    ['no_issend', 'p2p-missing-partner', /^Rank 3 waits in MPI_Wait .* until rank 1 receives its message with tag 1/m],
  ] as const;
  for (const [name, type, sentence] of verdicts)
    it(`has a verdict: ${name}`, async () => {
      const launcher = ['mpiexec.mpich', ...launcherArgs('mpich', 'nodea:2,nodeb:2'), '-n', '4', program, name];
      const ran = hosts.cli(['run', '--hang-after', '2', '--', ...launcher]);
      const { code, stderr } = await ran.then(
        () => assert.fail('it has ended'),
        (error: { code: number; stderr: string }) => error,
      );
      assert.equal(code, 124);
      assert.match(stderr, sentence);
      assert.match(stderr, new RegExp(`^Deadlock \\(${type}\\): nothing moved within \\d+(\\.\\d)? seconds\\.$`, 'm'));
      await hosts.isQuiet();
    });
});
