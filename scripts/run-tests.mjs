// Runs the test suites, the fast ones first, and ends with one line, `N passed, N failed`, that sums all of them.
// usage: node scripts/run-tests.mjs [SUITE...]    SUITE: a folder of test/, or "architecture"; default all
//
// A suite that crashes, hangs, or holds no test counts as one failure more; so does a test that skips itself.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesBelow } from './files.mjs';
import { isMain, must, root } from './process.mjs';

/** How a suite is made ready; each of these runs once. */
const preparations = {
  bundles: () => must(process.execPath, ['esbuild.mjs']),
  samples: () => must(process.execPath, ['scripts/build-samples.mjs', '--require']),
  vsix: () => must('npm', ['run', '--silent', 'package'], { capture: true }),
};

/** The suites in their order. A suite that is not listed runs before e2e, with the defaults. */
const defaults = { testTimeoutMs: 60_000, needs: ['bundles', 'samples'] };
const quick = { needs: [] };
const settings = {
  unit: quick,
  architecture: { needs: [] },
  recorded: quick,
  // Each program, by memory, by the command line and at a breakpoint, on each MPI.
  conformance: {},
  // The same programs, each ended by a signal; alone, for core_pattern is the machine's.
  'kernel-cores': {},
  cli: {},
  dap: {},
  e2e: { testTimeoutMs: 180_000, needs: ['samples', 'vsix'] },
  // What no Debian 12 has: `npm run test:releases` runs it, inside a newer one.
  releases: { isOnlyByName: true },
};

/**
 * A suite hangs when so many times the time of one test have gone by since its last test ended: before and after a test
 * there may be hooks, with as much time each. The whole suite may take as long as a slow machine needs.
 */
const testTimesWithoutEnd = 5;

/** Every folder of test/ with tests in it; the tests directly in test/ are the suite "architecture". */
function findSuites() {
  const entries = readdirSync(join(root, 'test'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const suites = [
    { name: 'architecture', files: entries.flatMap(({ name }) => (name.endsWith('.test.ts') ? [`test/${name}`] : [])) },
    ...folders.map(({ name }) => ({ name, files: filesBelow(root, `test/${name}`, '.test.ts') })),
  ].filter(({ files }) => files.length > 0);
  const order = Object.keys(settings);
  const position = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.indexOf('e2e') - 0.5);
  return suites.sort((a, b) => position(a) - position(b));
}

/** Runs mocha in a process group of its own, so that a suite that hangs is ended with all that it started. */
function runMocha({ files, testTimeoutMs }, countsFile) {
  return new Promise((done) => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const reporter = join(root, 'scripts/mocha-reporter.mjs');
    const options = ['--reporter', reporter, '--timeout', String(testTimeoutMs), '--forbid-only', '--forbid-pending'];
    const child = spawn(process.execPath, [mocha, ...options, ...files], {
      cwd: root,
      env: { ...process.env, MPIDBG_TEST_COUNTS: countsFile },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const killGroup = () => process.kill(-child.pid, 'SIGKILL');
    let problem;
    const patienceMs = testTimesWithoutEnd * testTimeoutMs;
    const start = Date.now();
    const watch = setInterval(() => {
      const lastEnd = statSync(countsFile, { throwIfNoEntry: false })?.mtimeMs ?? start;
      if (Date.now() - lastEnd < patienceMs) return;
      problem = `ended no test for ${patienceMs / 60_000} minutes: a test, socket, timer or process is left`;
      killGroup();
    }, 1000);
    const interrupt = () => {
      killGroup();
      process.exit(130);
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    child.on('exit', (status, signal) => {
      clearInterval(watch);
      process.removeListener('SIGINT', interrupt).removeListener('SIGTERM', interrupt);
      done({ status, problem: problem ?? (signal ? `was ended by ${signal}` : undefined) });
    });
  });
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const prepared = new Map();
function prepare(preparation) {
  if (!prepared.has(preparation)) prepared.set(preparation, preparations[preparation]());
  return prepared.get(preparation);
}

async function runSuite(suite) {
  const settingsOfSuite = { ...defaults, ...settings[suite.name] };
  for (const preparation of settingsOfSuite.needs) await prepare(preparation);
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  const countsFile = join(folder, 'counts.json');
  try {
    const { status, problem } = await runMocha({ ...settingsOfSuite, files: suite.files }, countsFile);
    const counts = readCounts(countsFile);
    if (problem) return { passed: 0, ...counts, failed: (counts?.failed ?? 0) + 1, problem };
    if (counts === undefined) return { passed: 0, failed: 1, problem: `broke off with status ${status}` };
    if (counts.passed + counts.failed === 0) return { passed: 0, failed: 1, problem: 'holds no test' };
    if (status !== 0 && counts.failed === 0) return { ...counts, failed: 1, problem: `ended with status ${status}` };
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the named suites, or all. @returns {Promise<{ passed: number, failed: number }>} */
export async function runTests(names = []) {
  const suites = findSuites();
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  const chosen = suites.filter(({ name }) =>
    names.length === 0 ? !settings[name]?.isOnlyByName : names.includes(name),
  );
  const results = unknown.map((name) => ({ name, passed: 0, failed: 1, seconds: 0, problem: 'has no tests' }));
  for (const suite of chosen) {
    console.log(`\n==== ${suite.name} ====`);
    const begin = performance.now();
    const counts = await runSuite(suite).catch((error) => ({ passed: 0, failed: 1, problem: error.message }));
    results.push({ name: suite.name, ...counts, seconds: (performance.now() - begin) / 1000 });
  }
  console.log('');
  for (const { name, passed, failed, seconds, problem } of results) {
    const line = `${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`;
    console.log(problem ? `${line}: the suite ${problem}` : line);
  }
  if (results.length === 0) {
    console.log('no tests found');
    return { passed: 0, failed: 1 };
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

if (isMain(import.meta.url)) {
  const { passed, failed } = await runTests(process.argv.slice(2));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
