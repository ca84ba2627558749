/** The collector that is shipped needs an old C library only; where it does not load, it is built in a folder of the user's own. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launchers, samplePath } from '../support/sample-job';

const dist = join(__dirname, '..', '..', 'dist');
const libraries = ['mpidbg-collector.so', 'mpidbg-calls.so', 'mpidbg-ompt.so', 'mpidbg-deaths.so'];

describe('the collector on another machine', () => {
  /** An installation whose libraries the loader refuses, and the home of its user. */
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
    for (const part of ['cli.js', 'cli', 'collector', 'agent.pl'])
      cpSync(join(dist, part), join(folder, part), { recursive: true });
    for (const name of libraries) writeFileSync(join(folder, name), 'for another machine');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const ask = (): { status: number | null; stdout: string; stderr: string } => {
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
    return spawnSync(process.execPath, [join(folder, 'cli.js'), 'collector'], { env, encoding: 'utf8' });
  };

  const preloaded = (): string[] => {
    const { stdout, stderr, status } = ask();
    assert.equal(status, 0, stderr);
    return /LD_PRELOAD=(\S+)/.exec(stdout)![1]!.split(':');
  };

  it('loads with glibc 2.17 and newer', () => {
    for (const name of libraries) {
      const symbols = execFileSync('objdump', ['-T', join(dist, name)], { encoding: 'utf8' });
      const minors = [...symbols.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
      assert.ok(minors.length > 0 && Math.max(...minors) <= 17, `${name} needs glibc 2.${Math.max(...minors)}`);
    }
  });

  it('is built where it does not load, in a folder that only the user can enter, and once', () => {
    const paths = preloaded();
    assert.equal(statSync(dirname(paths[0]!)).mode & 0o777, 0o700);
    const made = paths.map((path) => statSync(path).mtimeMs);
    const env = {
      ...{ ...process.env, ...launchers.openmpi.env },
      ...{ LD_PRELOAD: paths.join(':'), MPIDBG_COLLECT: 'pvars', MPIDBG_TOOL_MEMORY: 'memfd:mpidbg-collector' },
    };
    const said = execFileSync(samplePath('openmpi', 'tool-faults'), ['plain'], { env, encoding: 'utf8' });
    assert.equal(said, '1 started 1\n');
    assert.deepEqual(preloaded(), paths);
    assert.deepEqual(
      paths.map((path) => statSync(path).mtimeMs),
      made,
    );
  });

  it('is built again when it is not what was built', () => {
    const [path] = preloaded();
    const { size } = statSync(path!);
    appendFileSync(path!, 'something else');
    assert.deepEqual(preloaded()[0], path);
    assert.equal(statSync(path!).size, size);
  });

  it('is not taken from a folder that others can write to', () => {
    const [path] = preloaded();
    chmodSync(dirname(path!), 0o777);
    const { status, stderr, stdout } = ask();
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /must be a folder only you can use/);
  });
});
