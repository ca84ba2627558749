// Mocha's spec output, and the counts for run-tests.mjs in the file that MPIDBG_TEST_COUNTS names.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = runner.stats;
      writeFileSync(process.env.MPIDBG_TEST_COUNTS, JSON.stringify({ passed: passes, failed: failures + pending }));
    });
  }
}
