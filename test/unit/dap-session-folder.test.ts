/** The folder of kept sessions, where somebody else may have made one of its name. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { privateFolders, type Surroundings } from '../../adapter/hosts/private-folders';
import { keptSessions, newSessionPlace, writeRecord, type KeptSession } from '../../adapter/dap/client/session-folder';

const session: KeptSession = { name: 'ring', request: 'launch', folder: '/work', ranks: 4, since: 1 };

describe('the folder of kept sessions', () => {
  let scratch: string;
  let runtime: string;
  let at: Surroundings;
  let server: Server | undefined;
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'mpidbg-kept-'));
    runtime = join(scratch, 'runtime');
    at = { env: { XDG_RUNTIME_DIR: runtime, HOME: join(scratch, 'home') }, shared: join(scratch, 'shared') };
    for (const folder of [runtime, at.shared]) mkdirSync(folder);
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(scratch, { recursive: true });
  });

  /** The folder of a new session. */
  const chosen = (): string => dirname(newSessionPlace(at).socket);

  it('is for its user alone', () => {
    assert.equal(chosen(), join(runtime, 'mpidbg'));
    assert.equal(lstatSync(chosen()).mode & 0o777, 0o700);
    assert.notEqual(newSessionPlace(at).socket, newSessionPlace(at).socket);
  });

  it('is not used where it is a symbolic link, a file, or open to others: another one is', async () => {
    const taken = join(runtime, 'mpidbg');
    const inHome = join(scratch, 'home/.cache/mpidbg', `sessions-${hostname()}`);
    const elsewhere = join(scratch, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, taken);
    assert.equal(chosen(), inHome);
    rmSync(taken);
    writeFileSync(taken, '');
    assert.equal(chosen(), inHome);
    rmSync(taken);
    mkdirSync(taken);
    chmodSync(taken, 0o777);
    assert.equal(chosen(), inHome);
    assert.deepEqual(await keptSessions(at), []);
  });

  it('is not used where others could replace it, where its sockets would have too long a name, or where it cannot be written', () => {
    const { env, shared } = at;
    const home = join(scratch, 'home');
    const inHome = join(home, '.cache/mpidbg', `sessions-${hostname()}`);
    chmodSync(runtime, 0o777);
    assert.equal(chosen(), inHome);
    for (const XDG_RUNTIME_DIR of [join(runtime, 'x'.repeat(80)), 'relative', '/proc/self', '/dev/null']) {
      at = { env: { ...env, XDG_RUNTIME_DIR }, shared };
      assert.equal(chosen(), inHome, XDG_RUNTIME_DIR);
    }
    chmodSync(home, 0o777);
    assert.equal(dirname(chosen()), shared);
    assert.deepEqual(privateFolders(at), [chosen()]);
  });

  it('has a name that nobody foresees where all users make theirs, and is found again', () => {
    at = { env: {}, shared: at.shared };
    const others = join(at.shared, `mpidbg-${process.geteuid!()}`);
    mkdirSync(others);
    const first = chosen();
    assert.match(first.slice(others.length), /^-\w{6}$/);
    assert.equal(chosen(), first);
    assert.deepEqual(privateFolders(at), [first]);
  });

  it('has sessions that somebody serves, and loses what a killed adapter left', async () => {
    const served = newSessionPlace(at);
    writeRecord(served, session);
    server = createServer().listen(served.socket);
    const left = newSessionPlace(at);
    writeRecord(left, session);
    const broken = newSessionPlace(at);
    writeFileSync(broken.record, '{"name": 1}');
    assert.deepEqual(await keptSessions(at), [{ ...session, ...served }]);
    for (const { record } of [left, broken]) assert.equal(existsSync(record), false);
  });
});
