// `npm run setup-and-test`: installs what is missing, builds, and passes every check and every test. What CI runs.
// Its last line is always `N passed, N failed`, where each step of the check counts as one test.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNodeModules } from './node-modules.mjs';
import { must, root } from './process.mjs';
import { ensurePackages, neededForTests } from './system-packages.mjs';

const step = (title) => console.log(`\n==== ${title} ====`);

async function setup() {
  step('Debian packages');
  await ensurePackages('The test suite', neededForTests);
  step('npm packages');
  await ensureNodeModules();
  for (const rig of ['test/e2e/rig/setup.sh', 'test/dap/oracle/setup.sh']) {
    if (existsSync(join(root, rig))) await must('bash', [rig]);
  }
  step('build');
  await must('npm', ['run', '--silent', 'build']);
}

async function setupAndTest() {
  await setup();
  // These need the npm packages that are there only now.
  const { check } = await import('./check.mjs');
  const { runTests } = await import('./run-tests.mjs');
  step('check');
  const checked = await check();
  const tested = await runTests();
  return { passed: checked.passed + tested.passed, failed: checked.failed + tested.failed };
}

const { passed, failed } = await setupAndTest().catch((error) => {
  console.log(error.message);
  return { passed: 0, failed: 1 };
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
