/** Where handles come from, in the Variables view and in hovers, against what the program has noted. */
import assert from 'node:assert/strict';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { DebugRun } from './debug-run';

interface OwnHandle {
  expression: string;
  created: { call: string; line: number };
  freed?: { call: string; line: number };
  earlier: readonly unknown[];
}

/** The handle as rank 0 has it. */
function ownHandle(job: SampleJob, expression: string): OwnHandle {
  const line = job.printed.find((each) => each.trim().startsWith('HISTORY {"rank":0,'))!;
  const { handles } = JSON.parse(line.trim().slice('HISTORY '.length)) as { handles: OwnHandle[] };
  return handles.find((each) => each.expression === expression)!;
}

for (const mpi of allMpis)
  describe(`handles of ${mpi} whose calls are collected`, () => {
    it('say in Variables and hovers where they come from, and what freed them', async () => {
      const { stdout } = await runCli(['collector', '--collect', 'calls']);
      const job = await SampleJob.startWaiting(mpi, 'histories', { ranks: 2, through: stdout.trim().split(' ') });
      try {
        const run = await DebugRun.open();
        await run.attach({ launcherPid: job.launcherPid });
        await run.nextStop();
        const frame = (await run.frames(await run.threadOf(0))).find(({ name }) => name.startsWith('main'))!;
        const ocean = (await run.locals(frame.id)).find(({ name }) => name === 'ocean')!;
        const history = (await run.variables(ocean.variablesReference)).find(({ name }) => name === 'history');
        const { created, earlier } = ownHandle(job, 'ocean');
        const place = `created by ${created.call} at histories.c:${created.line}`;
        const before =
          earlier.length === 0 ? '' : `, ${earlier.length} object${earlier.length === 1 ? '' : 's'} before`;
        assert.equal(history?.value, `${place}${before}`);
        const gone = await run.evaluate('gone_comm', 'hover', frame.id);
        const { freed } = ownHandle(job, 'gone_comm');
        assert.equal(gone.result, `MPI_Comm · freed by ${freed!.call} at histories.c:${freed!.line}`);
        await run.close();
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  });
