/** What the plugins read in the memory of running ranks, without gdb, held against what MPI told the ranks. */
import assert from 'node:assert/strict';
import { LiveImage } from '../../adapter/images/live-image';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { askPlugin } from '../support/ask-plugin';
import { assertAgree, compareFacts, type Comparison } from '../support/compare-facts';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';
import { conformancePrograms } from './programs';

for (const mpi of allMpis) {
  for (const { name, ranks, atLeast } of conformancePrograms(mpi)) {
    it(`the ${mpi} plugin reads in ${name} what MPI tells`, async () => {
      assertAgree(await compareAllRanks(mpi, name, ranks), atLeast);
    });
  }
}

async function compareAllRanks(mpi: Mpi, name: string, ranks: number): Promise<Comparison> {
  const job = await SampleJob.startWaiting(mpi, name, { ranks });
  try {
    const result: Comparison = { facts: 0, differences: [] };
    for (const [rank, pid] of job.pids.entries()) {
      const image = new LiveImage(pid);
      const process = await new PluginRegistry().open(image);
      assert.ok(process, `rank ${rank}: no plugin found its MPI`);
      assert.equal(process.implementation.name, mpi);
      const truth = job.truth.filter((record) => record.rank === rank);
      const { facts, differences } = compareFacts(truth, await askPlugin(process, truth));
      result.facts += facts;
      result.differences.push(...differences);
      image.close();
    }
    return result;
  } finally {
    await job.kill();
  }
}
