// Runs the test suites, the fast ones first, and ends with one line, `N passed, N failed`, that sums all of them.
// usage: node scripts/run-tests.mjs [SUITE...]    SUITE: a folder of test/, or "architecture"; default all
//
// Suites share no job, so they run side by side, a few at a time; what a suite prints is shown whole when it ends.
// A suite that crashes, hangs, or holds no test counts as one failure more; so does a test that skips itself.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareProcessorsAlike } from './autogroup.mjs';
import { writeCoresBesideTheProgram } from './core-pattern.mjs';
import { ensureRelease } from './debian-release.mjs';
import { filesBelow } from './files.mjs';
import { gdbOfTests } from './gdb-of-tests.mjs';
import { isMain, must, root } from './process.mjs';

/** How suites are prepared, in this order: packaging rewrites the bundles, so no test may be using them. */
const preparations = {
  samples: () => must(process.execPath, ['scripts/build-samples.mjs', '--require']),
  bundles: () => must(process.execPath, ['esbuild.mjs']),
  trixie: () => ensureRelease('trixie'),
  vsix: () => must('npm', ['run', '--silent', 'package'], { capture: true }),
};

/**
 * The suites in the order in which they begin: those that answer at once, then the longest, so that no long one is left
 * to run alone at the end. A suite that is not listed comes last, with the defaults. `parts`: so many run side
 * by side.
 */
const defaults = { testTimeoutMs: 180_000, needs: ['bundles', 'samples'], parts: 1 };
const quick = { needs: [] };
const settings = {
  // Among them is the agent beside the ranks, which is joined from its parts.
  unit: { needs: ['bundles'] },
  architecture: quick,
  recorded: quick,
  cli: { parts: 2 },
  e2e: { testTimeoutMs: 300_000, needs: ['samples', 'vsix'] },
  dap: {},
  // Each program, by memory, by the command line, in core files and at a breakpoint, on each MPI.
  conformance: { parts: 3 },
  // Jobs that hang, each asked twice at an interval.
  hang: { testTimeoutMs: 300_000 },
  // With gdb as users have it, debug information of the C library included.
  engine: { gdb: 'asInstalled' },
  fortran: {},
  // Hosts of namespaces, which many containers do not allow: `npm run test:hosts` runs it, as root.
  hosts: { isOnlyByName: true },
  // Hosts of namespaces as nodes of Slurm: `npm run test:slurm`, as root.
  slurm: { isOnlyByName: true },
  // One of them with Debian 13, which is fetched: `npm run test:distributions`, as root.
  distributions: { needs: ['bundles', 'samples', 'trixie'], isOnlyByName: true },
  // What no Debian 12 has: `npm run test:releases` runs it, inside a newer one.
  releases: { isOnlyByName: true },
  // Target regions on the host, as `npm run test:releases` runs them in Debian 13.
  offload: { isOnlyByName: true },
};

/**
 * How many suites run side by side. Each starts jobs of four ranks and more, and waits for them two fifths of its time: one
 * more than there are processors keeps those busy, and more would make tests wait for each other.
 */
const lanes = Math.min(3, availableParallelism() + 1);

/**
 * A suite hangs when so many times the time of one test have gone by since its last test ended: before and after a test
 * there may be hooks, with as much time each. The whole suite may take as long as a slow machine needs.
 */
const testTimesWithoutEnd = 3;

const slowestShown = 20;

/**
 * Makes waiting ranks of Open MPI yield their CPU. By default they do so only if Open MPI sees more ranks than cores,
 * and it ignores whatever else runs: on a busy machine a sample of four ranks took ten times as long.
 */
const yielding = { OMPI_MCA_mpi_yield_when_idle: '1' };

/** Every folder of test/ with tests in it; the tests directly in test/ are the suite "architecture". */
function findSuites() {
  const entries = readdirSync(join(root, 'test'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const suites = [
    { name: 'architecture', files: entries.flatMap(({ name }) => (name.endsWith('.test.ts') ? [`test/${name}`] : [])) },
    ...folders.map(({ name }) => ({ name, files: filesBelow(root, `test/${name}`, '.test.ts') })),
  ].filter(({ files }) => files.length > 0);
  const order = Object.keys(settings);
  const position = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
  return suites.sort((a, b) => position(a) - position(b));
}

/** A suite that runs alone is one piece. */
function inParts(suite) {
  if (suite.parts === 1) return [suite];
  return Array.from({ length: suite.parts }, (_, part) => ({
    ...suite,
    name: `${suite.name} ${part + 1}/${suite.parts}`,
    files: suite.files.filter((_file, index) => index % suite.parts === part),
  }));
}

/** The process groups of the suites that run. */
const running = new Set();
const killGroup = (pid) => process.kill(-pid, 'SIGKILL');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const pid of running) killGroup(pid);
    process.exit(130);
  });
}

/**
 * Runs mocha in a process group of its own, so that a suite that hangs is ended with all that it started. Programs that
 * die in passing leave no core file, whatever the limit here is: tests that want one raise it.
 */
function runMocha({ files, testTimeoutMs, path, output }, countsFile, timesFile) {
  return new Promise((done) => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const reporter = join(root, 'scripts/mocha-reporter.mjs');
    const options = ['--reporter', reporter, '--timeout', String(testTimeoutMs), '--forbid-only', '--forbid-pending'];
    const command = [process.execPath, mocha, ...options, ...files];
    const script = 'ulimit -S -c 0; times=$1; shift; "$@"; status=$?; times >"$times"; exit $status';
    const child = spawn('sh', ['-c', script, 'sh', timesFile, ...command], {
      cwd: root,
      env: { ...process.env, ...yielding, PATH: path, MPIDBG_TEST_COUNTS: countsFile },
      stdio: ['ignore', output, output],
      detached: true,
    });
    running.add(child.pid);
    let problem;
    const patienceMs = testTimesWithoutEnd * testTimeoutMs;
    const start = Date.now();
    const watch = setInterval(() => {
      const lastEnd = statSync(countsFile, { throwIfNoEntry: false })?.mtimeMs ?? start;
      if (Date.now() - lastEnd < patienceMs) return;
      problem = `ended no test for ${patienceMs / 60_000} minutes: a test, socket, timer or process is left`;
      killGroup(child.pid);
    }, 1000);
    child.on('exit', (status, signal) => {
      clearInterval(watch);
      running.delete(child.pid);
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

/** The processor time of a suite and all that it has waited for, in seconds; undefined: it was killed. The shell's "times": its own, then those of its children. */
function processorSeconds(file) {
  const [, children = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * minutes + Number(seconds),
  );
  return times.length === 2 ? times[0] + times[1] : undefined;
}

/** Makes all that the suites need, once. */
async function prepare(suites) {
  const needed = new Set(suites.flatMap(({ needs }) => needs));
  for (const [name, make] of Object.entries(preparations)) if (needed.has(name)) await make();
}

async function runSuite(suite, output) {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  const countsFile = join(folder, 'counts.json');
  const timesFile = join(folder, 'times');
  try {
    const { status, problem } = await runMocha({ ...suite, output }, countsFile, timesFile);
    const counts = readCounts(countsFile);
    if (problem) return { passed: 0, ...counts, failed: (counts?.failed ?? 0) + 1, problem };
    if (counts === undefined) return { passed: 0, failed: 1, problem: `broke off with status ${status}` };
    if (counts.passed + counts.failed === 0) return { passed: 0, failed: 1, problem: 'holds no test' };
    if (status !== 0 && counts.failed === 0) return { ...counts, failed: 1, problem: `ended with status ${status}` };
    return { ...counts, processors: processorSeconds(timesFile) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the suite when it is ready to run, and shows what it printed as one piece; of one that runs alone, at once. */
async function runAndShow(suite, isAlone, ready) {
  const begin = performance.now();
  const result = (counts) => ({ name: suite.name, ...counts, seconds: (performance.now() - begin) / 1000 });
  const title = `\n==== ${suite.name} ====`;
  try {
    if (suite.needs.length > 0) await ready;
    if (isAlone) {
      console.log(title);
      return result(await runSuite(suite, 'inherit'));
    }
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
    const file = join(folder, 'output');
    const output = openSync(file, 'a');
    try {
      return result(await runSuite(suite, output));
    } finally {
      closeSync(output);
      process.stdout.write(`${title}\n${readFileSync(file, 'utf8')}`);
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    return result({ passed: 0, failed: 1, problem: error.message });
  }
}

/**
 * Tests that need the kernel's core files set core_pattern and set it back, which others that run beside them must not
 * see: it is set once around them all. Where it cannot be, the tests that need it say so.
 */
function keepCores(suites) {
  if (suites.every(({ needs }) => needs.length === 0)) return () => undefined;
  try {
    const restore = writeCoresBesideTheProgram();
    process.once('exit', restore);
    return restore;
  } catch {
    return () => undefined;
  }
}

/** The tests that took longest, of all suites. Suites run side by side: a time has the others' share of the machine in it. */
function printSlowest(results) {
  const times = results.flatMap(({ name, times: ofSuite = [] }) => ofSuite.map((each) => ({ name, ...each })));
  console.log(`\nThe slowest ${slowestShown} tests:`);
  for (const { name, title, ms } of times.sort((a, b) => b.ms - a.ms).slice(0, slowestShown))
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}: ${title}`);
}

/**
 * Runs the named suites, or all.
 * @param {() => Promise<unknown>} [first] what one of the lanes does before it takes a suite
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runTests(names = [], first = undefined) {
  const suites = findSuites();
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  const chosen = suites
    .filter(({ name }) => (names.length === 0 ? !settings[name]?.isOnlyByName : names.includes(name)))
    .map((suite) => ({ ...defaults, ...settings[suite.name], ...suite }));
  const results = unknown.map((name) => ({ name, passed: 0, failed: 1, seconds: 0, problem: 'has no tests' }));
  const ready = prepare(chosen);
  ready.catch(() => undefined); // told for each suite that waits for it
  const isAlone = chosen.length === 1;
  const waiting = isAlone ? [...chosen] : chosen.flatMap(inParts);
  const pathOf = (suite) => (suite.gdb === 'asInstalled' ? process.env.PATH : gdb.path);
  const lane = async (before) => {
    await before?.();
    for (let suite; (suite = waiting.shift()) !== undefined;)
      results.push(await runAndShow({ ...suite, path: pathOf(suite) }, isAlone, ready));
  };
  const restore = keepCores(chosen);
  const shareAsBefore = shareProcessorsAlike();
  const gdb = gdbOfTests();
  process.once('exit', gdb.remove);
  process.once('exit', shareAsBefore);
  try {
    await Promise.all([lane(first), ...Array.from({ length: lanes - 1 }, () => lane())]);
  } finally {
    restore();
    shareAsBefore();
    gdb.remove();
  }
  console.log('');
  for (const { name, passed, failed, seconds, processors, problem } of results) {
    const ofProcessors = processors === undefined ? '' : `, ${processors.toFixed(1)} s of processors`;
    const line = `${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s${ofProcessors})`;
    console.log(problem ? `${line}: the suite ${problem}` : line);
  }
  if (results.length > 1) printSlowest(results);
  // Once more at the end, where a log that was cut short still has them.
  for (const { name, failures = [] } of results) {
    for (const { title, message } of failures) console.log(`\nFAILED ${name}: ${title}\n${message.slice(0, 1500)}`);
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
