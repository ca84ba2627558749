import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOf, isOlder } from '../../../extension/builds';

describe('how the program of a source is built', () => {
  let root: string;
  const at = (name: string): string => path.join(root, name);
  const put = (name: string, modified = 1000): void => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), '');
    utimesSync(at(name), modified, modified);
  };

  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'builds-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  it('is one call of the compiler of its language', async () => {
    const words = async (source: string, program?: string): Promise<string | undefined> =>
      (await buildOf(at(source), program && at(program), root))?.command.join(' ');
    assert.equal(await words('ring.c'), 'mpicc -g ring.c -o ring');
    assert.equal(await words('src/ring.cpp', 'bin/ring'), 'mpicxx -g ring.cpp -o ../bin/ring');
    assert.equal(await words('ring.C'), 'mpicxx -g ring.C -o ring');
    assert.equal(await words('heat.F90'), 'mpifort -g heat.F90 -o heat');
    assert.equal(await words('notes.txt'), undefined);
  });

  it("is one call of the compiler of the launcher's MPI", async () => {
    const folders = ['first', 'bin', 'opt/bin'].map(at);
    for (const name of [
      'first/mpicc',
      'bin/mpicc',
      'bin/mpiexec.hydra',
      'bin/mpicc.mpich',
      'opt/bin/mpiexec',
      'opt/bin/mpifort',
    ]) {
      put(name);
      chmodSync(at(name), 0o755);
    }
    const compiler = async (source: string, launcher: string, inPath = folders): Promise<string | undefined> =>
      (await buildOf(at(source), undefined, root, { launcher, env: { PATH: inPath.join(':') } }))?.command[0];
    assert.equal(await compiler('ring.c', 'mpiexec.hydra'), 'mpicc.mpich');
    assert.equal(await compiler('ring.c', at('bin/mpiexec.hydra'), [at('first')]), at('bin/mpicc.mpich'));
    assert.equal(await compiler('ring.cpp', 'mpiexec.hydra'), 'mpicxx', 'that MPI has none');
    assert.equal(await compiler('ring.f90', at('opt/bin/mpiexec')), 'mpifort', 'the same');
    assert.equal(await compiler('ring.f90', at('opt/bin/mpiexec'), []), at('opt/bin/mpifort'));
    assert.equal(await compiler('ring.c', 'srun'), 'mpicc');
  });

  it('is make or CMake where a folder up to the open one has been prepared for it', async () => {
    put('Makefile');
    assert.deepEqual(await buildOf(at('src/ring.c'), undefined, root), { command: ['make'], folder: root });
    put('build/CMakeCache.txt');
    const build = await buildOf(at('src/ring.c'), at('build/bin/ring'), root);
    assert.deepEqual(build, { command: ['cmake', '--build', '.'], folder: at('build') });
  });

  it('is not what a folder outside says', async () => {
    put('Makefile');
    const build = await buildOf(at('inner/ring.c'), undefined, at('inner'));
    assert.deepEqual(build?.command[0], 'mpicc');
  });

  it('is asked for if the source is newer than the program', async () => {
    put('ring', 1000);
    put('ring.c', 2000);
    put('old.c', 500);
    assert.deepEqual(
      [
        await isOlder(at('ring'), at('ring.c')),
        await isOlder(at('ring'), at('old.c')),
        await isOlder(at('none'), at('ring.c')),
      ],
      [true, false, false],
    );
  });
});
