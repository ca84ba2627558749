/** What gdb keeps of Fortran expressions while libraries are unloaded under it. */
import assert from 'node:assert/strict';
import { varCreate } from '../../adapter/gdb/variable-objects';
import { eitherMpi } from '../support/sample-job';
import { LaunchedSample } from './job-support';

let sample: LaunchedSample;
afterEach(() => sample.job.release());

for (const mpi of eitherMpi('fortran sections')) {
  it(`sections that are kept as variables survive MPI_Finalize of ${mpi}`, async () => {
    sample = await LaunchedSample.launch(mpi, 'heat', { ranks: 2 });
    await sample.breakAt('heat.f90', 'rod has warmed');
    await sample.stopsAfter(() => sample.job.start({ stopAtEntry: false }));
    for (const rank of sample.job.ranks) {
      const place = { thread: rank.threads[0]!, frame: 0, language: 'fortran' as const };
      for (const [section, count] of [
        ['temperature(0:1)', 2],
        ['temperature(2:)', 8],
        ['temperature(:)', 10],
      ] as const)
        assert.equal((await varCreate(place, section)).childCount, count, section);
    }
    await sample.job.continue(sample.job.ranks);
    assert.deepEqual(await sample.ended(), { exitCode: 0, signal: undefined });
    assert.deepEqual(sample.messages, []);
  });
}
