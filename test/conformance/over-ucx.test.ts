/** What the Open MPI plugin reads in the memory of ranks whose messages UCX carries, held against what MPI told the ranks. */
import { assertAgree } from '../support/compare-facts';
import { compareRanks } from '../support/compare-ranks';
import { factsWithUcx, ucxOptions } from './programs';

for (const [name, atLeast] of Object.entries(factsWithUcx)) {
  it(`the openmpi plugin reads in ${name}, whose messages UCX carries, what MPI tells`, async () => {
    const comparison = await compareRanks('openmpi', name, { launcherArgs: ucxOptions() }, 'openmpi with ucx');
    assertAgree(comparison, atLeast);
  });
}
