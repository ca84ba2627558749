/** What the plugins read in the memory of running ranks, without gdb, held against what MPI told the ranks. */
import { assertAgree } from '../support/compare-facts';
import { compareRanks } from '../support/compare-ranks';
import { allMpis } from '../support/sample-job';
import { conformancePrograms, factsWithUcx, ucxOptions } from './programs';

for (const mpi of allMpis) {
  for (const { name, ranks, atLeast } of conformancePrograms(mpi)) {
    it(`the ${mpi} plugin reads in ${name} what MPI tells`, async () => {
      assertAgree(await compareRanks(mpi, name, { ranks }), atLeast);
    });
  }
}

for (const [name, atLeast] of Object.entries(factsWithUcx)) {
  it(`the openmpi plugin reads in ${name}, whose messages UCX carries, what MPI tells`, async () => {
    const comparison = await compareRanks('openmpi', name, { launcherArgs: ucxOptions() }, 'openmpi with ucx');
    assertAgree(comparison, atLeast);
  });
}
