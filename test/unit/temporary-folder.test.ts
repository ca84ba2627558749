/** A batch job's TMPDIR may name what is not here: our own folders are made elsewhere then. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { maxSocketPath } from '../../adapter/hosts/private-folders';
import { temporaryFolder } from '../../adapter/hosts/temporary-folder';

describe('a temporary folder of ours', () => {
  const own = process.env['TMPDIR'];
  let scratch: string;
  const made: string[] = [];
  beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'mpidbg-tmp-'))));
  afterEach(() => {
    if (own === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = own;
    for (const folder of [scratch, ...made.splice(0)]) rmSync(folder, { recursive: true, force: true });
  });
  const madeIn = (above: string, socket?: string): string => {
    process.env['TMPDIR'] = above;
    const folder = temporaryFolder('mpidbg-test-', socket === undefined ? {} : { socket });
    made.push(folder);
    assert.match(basename(folder), /^mpidbg-test-\w{6}$/);
    assert.equal(lstatSync(folder).mode & 0o777, 0o700);
    return dirname(folder);
  };

  it('is in TMPDIR', () => assert.equal(madeIn(scratch, 'socket'), scratch));

  it('is elsewhere where TMPDIR is missing, a file, relative, or no place for folders', () => {
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    for (const above of [join(scratch, 'missing'), file, 'relative', '/proc'])
      assert.equal(madeIn(above), '/tmp', above);
    assert.equal(existsSync('relative'), false);
  });

  it('has room for the name of its socket', () => {
    const exact = join(scratch, 'x'.repeat(maxSocketPath - join(scratch, '/mpidbg-test-XXXXXX/socket').length - 1));
    for (const above of [exact, `${exact}x`]) mkdirSync(above);
    assert.equal(madeIn(exact, 'socket'), exact);
    assert.equal(madeIn(`${exact}x`, 'socket'), '/tmp');
    assert.equal(madeIn(`${exact}x`), `${exact}x`);
  });
});
