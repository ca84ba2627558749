/** docs/overlays-coverage.md has a row for every name of MPI_T, and cites tests that are there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { integers } from '../../plugin-api/mpi/standard-abi.json';

const root = join(__dirname, '..', '..');
const page = readFileSync(join(root, 'docs/overlays-coverage.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(MPI_T_\w+)` +\| (.+?) +\| *(\w*) *\|$/gm)];
const tests = new Map(
  [...page.matchAll(/^- ([\w-]+): `(\S+)` "(.+)"$/gm)].map(([, key, file, name]) => [key, { file, name }]),
);

describe('docs/overlays-coverage.md', () => {
  it('has each constant of MPI_T once', () => {
    const constants = Object.keys(integers).filter((name) => name.startsWith('MPI_T_'));
    const named = rows.map(([, name]) => name).filter((name) => name === name?.toUpperCase());
    assert.deepEqual(named.toSorted(), constants.toSorted());
  });

  it('has each function that the collector calls', () => {
    const header = readFileSync(join(root, 'adapter/collector/native/collector.h'), 'utf8');
    const called = [...header.matchAll(/^ {4}F\((\w+), /gm)].map(([, name]) => `MPI_T_${name}`);
    assert.ok(called.length > 20);
    for (const name of called)
      assert.ok(
        rows.some(([, row, how]) => row === name && !how!.startsWith('not ')),
        name,
      );
  });

  it('cites tests that are there', () => {
    for (const [, name, , key] of rows) assert.ok(key === '' || tests.has(key), `${name} cites ${key}`);
    for (const { file, name } of tests.values())
      assert.ok(readFileSync(join(root, file!), 'utf8').includes(name!), name);
  });
});
