/** Holds what the plugin reads in the memory of its ranks, without gdb, against a sample's truth. */
import assert from 'node:assert/strict';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { LayoutTable } from '../../plugin-api/layout';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { askPlugin } from './ask-plugin';
import { compareFacts } from './compare-facts';
import { add, type Comparison } from './comparison';
import { libraryOf, type Library } from './excused';
import { SampleJob, type Mpi, type StandardAbi } from './sample-job';
import { TypedImage } from './typed-image';
import { localProcess } from './local-process';

/** Compares the ranks of a job that is started for it. */
export async function compareRanks(
  mpi: Mpi,
  name: string,
  options: { ranks?: number; launcherArgs?: string[]; build?: StandardAbi },
  library: Library = mpi,
  types?: LayoutTable,
): Promise<Comparison> {
  const job = await SampleJob.startWaiting(mpi, name, options);
  try {
    return await compareJob(mpi, job, library, types);
  } finally {
    await job.kill();
  }
}

/** `types`: debug information of the MPI library. */
export async function compareJob(
  mpi: Mpi,
  { pids, truth }: SampleJob,
  library: Library = mpi,
  types?: LayoutTable,
): Promise<Comparison> {
  const result: Comparison = { facts: 0, differences: [] };
  for (const [rank, pid] of pids.entries()) {
    const image = new LiveImage(localProcess(pid));
    const process = await new PluginRegistry().open(types === undefined ? image : new TypedImage(image, types));
    assert.ok(process, `rank ${rank}: no plugin found its MPI`);
    assert.equal(process.implementation.name, mpi);
    const ofRank = truth.filter((record) => record.rank === rank);
    const { version } = process.implementation;
    add(result, compareFacts(ofRank, await askPlugin(process, ofRank), libraryOf(library, version)));
    image.close();
  }
  return result;
}
