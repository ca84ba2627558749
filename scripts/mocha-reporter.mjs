// Mocha's spec output, and the counts for run-tests.mjs in the file that MPIDBG_TEST_COUNTS names.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_TEST_END } = Mocha.Runner.constants;

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const count = () => {
      const { passes, failures, pending } = runner.stats;
      writeFileSync(process.env.MPIDBG_TEST_COUNTS, JSON.stringify({ passed: passes, failed: failures + pending }));
    };
    // After each test, so that a suite that is killed keeps its counts.
    runner.on(EVENT_TEST_END, count).once(EVENT_RUN_END, count);
  }
}
