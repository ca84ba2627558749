import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPrograms } from '../../../extension/programs';

const elf = (type: number): Buffer =>
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, type, 0]);

describe('programs of a folder', () => {
  let folder: string;

  const put = (name: string, content: Buffer | string, mode: number, modified: number): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
    utimesSync(file, modified, modified);
  };

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'programs-'));
    put('old', elf(2), 0o755, 1000);
    put('build/ring.x', elf(3), 0o755, 2000);
    put('build/new', elf(3), 0o755, 3000);
    put('object.o', elf(1), 0o644, 4000);
    put('libring.so.1', elf(3), 0o755, 4000);
    put('script', '#!/bin/sh\n', 0o755, 4000);
    put('empty', '', 0o755, 4000);
    put('.hidden/program', elf(3), 0o755, 4000);
    put('ring.f90', 'end', 0o644, 4000);
  });

  after(() => rmSync(folder, { recursive: true }));

  it('are its executables, the newest first', async () => {
    const found = await findPrograms(folder);
    assert.deepEqual(
      found.map((program) => path.relative(folder, program.path)),
      ['build/new', 'build/ring.x', 'old'],
    );
  });

  it('begin with the one that is named like the source file', async () => {
    const [first] = await findPrograms(folder, path.join(folder, 'ring.f90'));
    assert.equal(first?.path, path.join(folder, 'build/ring.x'));
  });

  it('are none where the folder cannot be read', async () => {
    assert.deepEqual(await findPrograms(path.join(folder, 'missing')), []);
  });
});
