// Runs the conformance suite with the MPI libraries of other releases of Debian than this machine's, both MPIs of each, and the tests
// of what the collector tells of them and of OpenMP's runtimes.
//
//     npm run test:releases [-- RELEASE... [--run COMMAND ARGUMENT...]]
//
// RELEASE: bookworm (Debian 12), trixie (Debian 13) or sid (unstable); default the last two. --run: instead of the suite, this command, in the checkout,
// inside each release. docs/testing-releases.md tells more.
import { ensureRelease, releasesFolder, runInside } from './debian-release.mjs';

/** By default all but the first, which CI runs on. */
const releases = ['bookworm', 'trixie', 'sid'];

/** Only unstable has the standard ABI of MPI 5; its LLVM comes without the plug-in that makes the host a device. */
const suites = (release) => [
  ...['node', 'scripts/run-tests.mjs', 'conformance'],
  ...(release === 'sid' ? ['releases'] : []),
  ...(release === 'trixie' ? ['offload'] : []),
];

/** All that rests on the collector. */
const overlays = [
  ...['told-calls', 'histories', 'kept', 'lagging', 'tool-variables', 'follow-variables', 'collector-faults'],
  ...['openmp', 'ompt-header', 'ompt-double'],
].map((name) => `test/cli/${name}.test.ts`);
const ofOverlays = ['node', 'node_modules/mocha/bin/mocha.js', '--timeout', '180000', ...overlays];

async function main(args) {
  const at = args.indexOf('--run');
  const chosen = at < 0 ? args : args.slice(0, at);
  const given = at < 0 ? undefined : args.slice(at + 1);
  const unknown = chosen.filter((name) => !releases.includes(name));
  if (unknown.length > 0 || given?.length === 0)
    throw new Error(`usage: npm run test:releases [-- ${releases.join('|')}... [--run COMMAND ARGUMENT...]]`);
  for (const release of chosen.length > 0 ? chosen : releases.slice(1)) {
    console.log(`\n==== Debian ${release}, in ${releasesFolder}/${release} ====`);
    await ensureRelease(release);
    const versions = ['openmpi-bin', 'mpich', 'libomp-dev', 'gdb'];
    await runInside(release, ['dpkg-query', '--show', '--showformat=${Package} ${Version}\\n', ...versions]);
    for (const command of given === undefined ? [suites(release), ofOverlays] : [given])
      if ((await runInside(release, command)) !== 0) process.exitCode = 1;
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
