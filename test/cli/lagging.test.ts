/** A hang in which one rank is a collective operation ahead: the verdict says which one each rank is in, as the program has counted. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { patienceMs } from '../support/patience';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

interface OwnCount {
  rank: number;
  call: string;
  instance: number;
}

function ownCounts(job: SampleJob): OwnCount[] {
  const prefix = 'COUNTED ';
  return job.printed
    .filter((line) => line.trim().startsWith(prefix))
    .map((line) => JSON.parse(line.trim().slice(prefix.length)) as OwnCount)
    .sort((a, b) => a.rank - b.rank);
}

/** Which calls the ranks are in. */
async function callsNow(target: readonly string[]): Promise<(string | undefined)[]> {
  const { stdout } = await runCli(['calls', ...target, '--json']);
  return (JSON.parse(stdout) as OverlayDocument).ranks.map((rank) => {
    const calls = 'calls' in rank && rank.calls !== undefined && !isUnavailable(rank.calls) ? rank.calls : [];
    return calls.flatMap((thread) => thread.calls).find(({ end }) => end === undefined)?.name;
  });
}

for (const mpi of allMpis)
  describe(`the verdict on lagging of ${mpi}`, () => {
    let job: SampleJob;
    before(async () => {
      const { stdout } = await runCli(['collector', '--collect', 'calls']);
      job = await SampleJob.startWaiting(mpi, 'lagging', { ranks: 3, through: stdout.trim().split(' ') });
    });
    after(async () => (job as SampleJob | undefined)?.kill());

    it('says which rank is ahead of the others', async function () {
      this.timeout(2 * patienceMs);
      for (const pid of job.pids) process.kill(pid, 'SIGUSR1');
      const target = ['--launcher', String(job.launcherPid)];
      const expected = ['MPI_Bcast', 'MPI_Bcast', 'MPI_Barrier'];
      for (const end = performance.now() + patienceMs; performance.now() < end;)
        if ((await callsNow(target)).join() === expected.join()) break;
      const own = ownCounts(job);
      assert.deepEqual(
        own.map(({ call }) => call),
        expected,
      );
      const { stdout, stderr, status } = await runCli(['hang', ...target, '--json']);
      assert.equal(status, 0, stderr);
      const { verdict, sentence } = JSON.parse(stdout) as HangDocument;
      assert.equal(verdict, 'deadlock', sentence);
      // The collector's functions are MPI's own to users.
      assert.doesNotMatch(stdout, /@MPIDBG/);
      const [behind, , ahead] = own;
      assert.ok(
        sentence.includes(
          `Ranks 0-1 are in the ${behind!.instance}th collective operation on MPI_Comm "ocean" (MPI_Bcast), ` +
            `rank 2 is in the ${ahead!.instance}th (MPI_Barrier).`,
        ),
        sentence,
      );
    });

    // The limit does not depend on the MPI.
    if (mpi === 'openmpi')
      it('is that of the first look where the limit comes before the second', async () => {
        const target = ['--launcher', String(job.launcherPid), '--look-again', '600', '--timeout', '12'];
        const { status, stdout, stderr } = await runCli(['hang', ...target]);
        assert.equal(status, 0);
        assert.match(stdout, /MPI_Bcast/);
        assert.match(stderr, /only one look finished in time/);
      });
  });
