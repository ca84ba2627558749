/** A job on a host that only its Host leads to answers as one on this machine does. */
import assert from 'node:assert/strict';
import { adviceText } from '../../adapter/cli/advice';
import { GuardedHost } from '../../adapter/agent/guarded-gdb';
import { Hub } from '../../adapter/agent/hub';
import type { GdbHost, StartedGdb } from '../../adapter/hosts/host';
import type { Job } from '../../adapter/job/job';
import { attach, attachOn } from '../../adapter/job-sources/attach';
import { JobQueries } from '../../adapter/query/job-queries';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { DistantHost } from '../support/distant-host';
import { processState, tracerOf } from '../support/process-state';
import { allMpis, SampleJob } from '../support/sample-job';

/** Its gdbs run on this machine, and know its processes by the pids here. */
class FarHost extends DistantHost implements GdbHost {
  private readonly guarded: GuardedHost;

  constructor(hub: Hub) {
    super(0);
    this.guarded = new GuardedHost(hub);
  }

  startGdb(path: string): Promise<StartedGdb> {
    return this.guarded.startGdb(path);
  }
}

/** Everything that the commands ask, as text. */
async function answersOf(job: Job): Promise<{ host: string; text: string }> {
  try {
    const queries = new JobQueries(job, adviceText);
    const documents = [
      await queries.info(job.ranks),
      await queries.handles(job.ranks, undefined, true),
      await queries.stacks(job.ranks, 'all'),
    ];
    const [host, ...others] = new Set(job.ranks.map((rank) => rank.host));
    assert.deepEqual(others, []);
    return { host: host!, text: JSON.stringify(documents, undefined, 1).replaceAll(`"host": "${host}"`, '"host": ""') };
  } finally {
    await job.release();
  }
}

for (const mpi of allMpis) {
  describe(`ranks of another host under ${mpi}`, () => {
    let sample: SampleJob;
    let hub: Hub;
    let host: FarHost;

    before(async () => {
      sample = await SampleJob.startWaiting(mpi, 'communicators');
      hub = await Hub.listen(shippedMpis);
      host = new FarHost(hub);
    });
    after(async () => {
      await sample.kill();
      hub.close();
      await host.end();
    });

    it('have the handles and stacks that they have here, read through their host, and are left as they were', async () => {
      const here = await answersOf(await attach({ pids: sample.pids }));
      assert.equal(host.asked.size, 0);
      const there = await answersOf(
        await attachOn(
          sample.pids.map((pid, number) => ({
            host,
            pid,
            place: { pid, number, worldSize: sample.pids.length, world: undefined },
          })),
          {},
        ),
      );
      assert.equal(there.host, 'far-away');
      assert.notEqual(there.host, here.host);
      assert.equal(there.text, here.text);
      assert.match(there.text, new RegExp(`"name": "${mpi}"`));
      assert.ok(host.asked.get('readMemory')! > 0);
      for (const pid of sample.pids) assert.ok(processState(pid) !== 't' && tracerOf(pid) === 0);
    });
  });
}
