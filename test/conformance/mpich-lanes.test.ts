/** MPICH with several communication interfaces (VCIs), each with requests and a UCX worker of its own. */
import assert from 'node:assert/strict';
import { LiveImage } from '../../adapter/images/live/live-image';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { compareVersions } from '../../plugin-api/mpi/versioned-tables';
import { assertAgree } from '../support/compare-facts';
import { compareRanks } from '../support/compare-ranks';
import { severalInterfaces } from '../support/mpich-interfaces';
import { SampleJob } from '../support/sample-job';
import { localProcess } from '../support/local-process';

const lanes = 4;
const { count, launcherArgs } = severalInterfaces(lanes);

/** Where a request's handle has its pool's number: 4.3 moved it, and has a flag that there is one. */
function poolOf(handle: number, version: string): number {
  if (compareVersions(version, '4.3') < 0) return (handle >>> 20) & 63;
  return (handle & 0x2000000) === 0 ? 0 : (handle >>> 19) & 63;
}

describe(`MPICH with as many communication interfaces as it can have (${count})`, () => {
  it('has pending messages on each of them, that the plugin reads as MPI tells', async () => {
    assertAgree(await compareRanks('mpich', 'lanes', { launcherArgs }), 1280);
  });

  it('has the requests of all of them on the list', async () => {
    const job = await SampleJob.startWaiting('mpich', 'lanes', { launcherArgs });
    try {
      for (const [rank, pid] of job.pids.entries()) {
        const image = new LiveImage(localProcess(pid));
        const process = await mpich.open(image);
        const listed = await process!.handles('request');
        assert.ok(listed.ok, listed.ok ? '' : listed.reason);
        const requests = job.truth.filter((record) => record.rank === rank && record.kind === 'request');
        const told = requests.map(({ told }) => Number(told!.info['handle']));
        assert.equal(told.length, 3 * lanes);
        for (const handle of told) assert.ok(listed.value.includes(BigInt(handle)), `0x${handle.toString(16)}`);
        const { version } = process!.implementation;
        const pools = new Set(told.map((handle) => poolOf(handle, version)));
        assert.equal(pools.size, count, `pools of MPICH ${version}`);
        image.close();
      }
    } finally {
      await job.kill();
    }
  });
});
