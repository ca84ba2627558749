/** The folder of kept sessions is in /tmp, where anybody may have made one of its name. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  keptSessions,
  newSessionPlace,
  SessionFolderError,
  writeRecord,
  type KeptSession,
} from '../../adapter/dap/client/session-folder';

const session: KeptSession = { name: 'ring', request: 'launch', folder: '/work', ranks: 4, since: 1 };

describe('the folder of kept sessions', () => {
  let scratch: string;
  let folder: string;
  let server: Server | undefined;
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'mpidbg-kept-'));
    folder = join(scratch, 'sessions');
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(scratch, { recursive: true });
  });

  it('is for its user alone', () => {
    newSessionPlace(folder);
    assert.equal(lstatSync(folder).mode & 0o777, 0o700);
    assert.notEqual(newSessionPlace(folder).socket, newSessionPlace(folder).socket);
  });

  it('is not used where it is a symbolic link, a file, or open to others', async () => {
    const elsewhere = join(scratch, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, folder);
    assert.throws(() => newSessionPlace(folder), SessionFolderError);
    assert.deepEqual(await keptSessions(folder), []);
    chmodSync(elsewhere, 0o755);
    assert.throws(() => newSessionPlace(elsewhere), SessionFolderError);
    const file = join(scratch, 'file');
    writeFileSync(file, '');
    assert.throws(() => newSessionPlace(file));
    assert.deepEqual(await keptSessions(file), []);
  });

  it('has sessions that somebody serves, and loses what a killed adapter left', async () => {
    const served = newSessionPlace(folder);
    writeRecord(served, session);
    server = createServer().listen(served.socket);
    const left = newSessionPlace(folder);
    writeRecord(left, session);
    const broken = newSessionPlace(folder);
    writeFileSync(broken.record, '{"name": 1}');
    assert.deepEqual(await keptSessions(folder), [{ ...session, ...served }]);
    for (const { record } of [left, broken]) assert.equal(existsSync(record), false);
  });
});
