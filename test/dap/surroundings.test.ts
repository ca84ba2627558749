/** What a program sees of its process in a session, or behind one, is what it sees without, but for what docs/collector.md names. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { collectable } from '../../adapter/collector/preload';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { allMpis, launchers } from '../support/sample-job';
import { comparable, newPrefix, tellerOf, told, toldSurroundings } from '../support/surroundings';
import { DebugRun } from './debug-run';

describe('what a program sees of its process', function () {
  this.timeout(2 * patienceMs);
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  for (const mpi of allMpis) {
    it(`is the same in a session that has started it, with ${mpi}`, async () => {
      const teller = tellerOf(workshop, mpi, 'C');
      const without = await told(workshop, mpi, teller);
      for (const collects of [[], collectable]) {
        const prefix = newPrefix(workshop);
        writeFileSync(prefix, '');
        const [program, ...args] = teller(prefix);
        const collector = collects.length > 0;
        const { args: launcherArgs } = launchers[mpi];
        const attributes = { program, args, launcherArgs, cwd: workshop.directory, collector };
        const run = await DebugRun.launch({ mpi, program: 'ring', ranks: 2, attributes });
        await run.terminated();
        await run.close();
        // With the option that has each line begin with its rank.
        const seen = toldSurroundings(prefix).filter((line) => !line.endsWith(' OMPI_MCA_orte_tag_output'));
        assert.deepEqual(comparable(seen, collects), comparable(without, collects));
      }
    });

    it(`is the same behind a session that has attached to it, with ${mpi}`, async () => {
      const teller = tellerOf(workshop, mpi, 'C');
      const look = async (launcherPid: number): Promise<void> => {
        const run = await DebugRun.attachedWithoutFilters(launcherPid);
        await run.close();
      };
      assert.deepEqual(await told(workshop, mpi, teller, { look }), await told(workshop, mpi, teller));
    });
  }
});
