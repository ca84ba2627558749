// `npm run setup-and-test`: installs what is missing, builds, and passes every check and every test. What CI runs.
// Its last line is always `N passed, N failed`, where each step of the check counts as one test.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNodeModules } from './node-modules.mjs';
import { must, root } from './process.mjs';
import { choosePackages, neededForTests } from './system-packages.mjs';

const step = (title) => console.log(`\n==== ${title} ====`);

async function setup() {
  step('Debian and npm packages');
  // A person is asked before anything is printed; the rest waits for the network, not for each other.
  const debian = await choosePackages('The test suite', neededForTests);
  await Promise.all([debian.install(), npmPackages()]);
  step('build');
  await must('npm', ['run', '--silent', 'build']);
}

async function npmPackages() {
  await ensureNodeModules();
  await Promise.all(
    ['test/e2e/rig/setup.sh', 'test/dap/oracle/setup.sh']
      .filter((rig) => existsSync(join(root, rig)))
      .map((rig) => must('bash', [rig])),
  );
}

async function setupAndTest() {
  await setup();
  // These need the npm packages that are there only now.
  const { check } = await import('./check.mjs');
  const { runTests } = await import('./run-tests.mjs');
  let checked;
  const tested = await runTests([], async () => (checked = await check({ atOnce: false })));
  return { passed: checked.passed + tested.passed, failed: checked.failed + tested.failed };
}

const { passed, failed } = await setupAndTest().catch((error) => {
  console.log(error.message);
  return { passed: 0, failed: 1 };
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
