// Mocha's spec output, and for run-tests.mjs the counts, the failures and the time of each test, in the file that MPIDBG_TEST_COUNTS names.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_TEST_END, EVENT_TEST_FAIL } = Mocha.Runner.constants;

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    const times = [];
    const count = () => {
      const { passes, failures: failed, pending } = runner.stats;
      const counts = { passed: passes, failed: failed + pending, failures, times };
      writeFileSync(process.env.MPIDBG_TEST_COUNTS, JSON.stringify(counts));
    };
    runner.on(EVENT_TEST_FAIL, (test, error) => failures.push({ title: test.fullTitle(), message: error.message }));
    runner.on(EVENT_TEST_END, (test) => times.push({ title: test.fullTitle(), ms: test.duration ?? 0 }));
    // After each test, so that a suite that is killed keeps its counts.
    runner.on(EVENT_TEST_END, count).once(EVENT_RUN_END, count);
  }
}
