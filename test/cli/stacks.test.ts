/** mpidbg stacks on a job that hangs: who waits, and for whom. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { StackNode, StacksDocument } from '../../plugin-api/mpi/records';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, launchers, samplePath } from '../support/sample-job';

const odd = 2;

for (const mpi of allMpis) {
  describe(`the stacks of a hanging job of ${mpi}`, () => {
    let job: ChildProcess;
    before(async () => {
      const { command, args, env } = launchers[mpi];
      job = spawn(command, [...args, '-n', '4', samplePath(mpi, 'hang'), String(odd)], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      job.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await eventually('it hangs', () => said.includes(`rank ${odd} hangs`));
    });
    after(async () => {
      const exited = once(job, 'exit');
      job.kill('SIGTERM');
      await exited;
    });

    it('show who is elsewhere', async () => {
      // The other ranks are on their way to the barrier when the odd one says that it hangs.
      let document: StacksDocument | undefined;
      for (let attempt = 0; attempt < 5 && document?.outliers.length !== 2; attempt++) {
        const { stdout, status } = await runCli(['stacks', '--launcher', String(job.pid), '--json']);
        assert.equal(status, 0);
        document = JSON.parse(stdout) as StacksDocument;
      }
      assert.match(document?.outliers[0] ?? '', /^rank 2 \(1 of 4\) in \w+ at hang\.c:\d+$/);
      assert.equal(document?.outliers[1], 'ranks 0-1,3 (3 of 4) in MPI_Barrier');
      assert.equal(ranksIn(document.tree, 'MPI_Barrier'), '0-1,3');
      assert.equal(ranksIn(document.tree, 'do_something_else'), '2');
    });

    it('end at the MPI call, or go below it in full', async () => {
      const short = await runCli(['stacks', '--launcher', String(job.pid), '--ranks', '0']);
      assert.match(short.stdout, /MPI_Barrier\n/);
      const full = await runCli(['stacks', '--launcher', String(job.pid), '--ranks', '0', '--full']);
      assert.ok(full.stdout.split('\n').length > short.stdout.split('\n').length);
    });

    it('are judged without a gdb, and why no line is known is said', async () => {
      const hang = await runCli(['hang', '--launcher', String(job.pid), '--gdb', '/no/such/gdb']);
      assert.equal(hang.status, 0, hang.stderr);
      assert.match(hang.stdout, /MPI_Barrier on MPI_Comm "ocean"/);
      assert.equal(
        hang.stderr,
        "mpidbg: the program's lines are not known: gdb cannot be run (/no/such/gdb: no such file)\n",
      );
    });
  });
}

/** The ranks of the first node with this function's name. */
function ranksIn(tree: readonly StackNode[], name: string): string | undefined {
  for (const node of tree) {
    const found = node.frame.name === name ? node.ranks : ranksIn(node.children, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
