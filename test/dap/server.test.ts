/** Who gets into --server and --socket, and who does not: raw sockets at a running adapter. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdapterServer, closeOf, framed, Intrusion } from '../support/adapter-server';
import { DapClient } from '../support/dap-client';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');
const noHeader = 'a message does not begin with the header "Content-Length: N", N being its length in bytes';

/** A session of a client that does as it should. */
async function serves(server: AdapterServer): Promise<void> {
  const { client, socket } = await server.client();
  await client.request('initialize', { adapterID: 'mpidbg' });
  const closed = closeOf(socket);
  await client.request('disconnect');
  await closed;
}

describe('a server', () => {
  let folder: string;
  let server: AdapterServer | undefined;
  let intrusion: Intrusion;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-server-'));
    intrusion = new Intrusion();
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    intrusion.remove();
    rmSync(folder, { recursive: true });
  });
  const start = async (kind: string): Promise<AdapterServer> =>
    (server = await AdapterServer.start(kind === '--server' ? '--server=0' : `--socket=${join(folder, 'dap')}`));

  for (const kind of ['--server', '--socket']) {
    it(`${kind}: closes a connection that does not begin with DAP, without a word`, async () => {
      const { request, session } = intrusion;
      const target = await start(kind);
      const post = (body: string): string =>
        `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      for (const stranger of [
        ...[post(request), post(session), `GET / HTTP/1.1\r\nHost: x\r\n\r\n${session}`, `\r\n\r\n${session}`],
        ...[
          `Host: x\r\n${session}`,
          ` ${session}`,
          `\0${session}`,
          `X-${session}`,
          session.toLowerCase(),
          session.slice(1),
        ],
        ...[`Content-Type: application/json\r\n${session}`, session.replace('\r\n', '\r\nHost: x\r\n')],
        ...['P', '\x16\x03\x01\x02', 'Content-Length: 0', 'Content-Length: 65537', `Content-Length: ${'1'.repeat(99)}`],
        // DAP, but not begun as a session is.
        ...[framed(request), framed(request) + session, framed('{"type":"event","event":"x"}') + session],
        ...[framed('[]') + session, framed('{') + session, framed('null') + session],
      ])
        assert.equal(await target.answerTo(stranger), '', stranger);
      // Those that would be closed by and by, too.
      assert.equal(await target.answerTo('Content-', 'Length', ': 1', '2\r', '\n', 'A'), '');
      assert.equal(intrusion.hasRun, false);
      await intrusion.runAsClient(target);
      // Each problem once, however often a page tries.
      assert.deepEqual(
        target.lines.sort(),
        [
          noHeader,
          ...['a message is longer than 65536 bytes', 'the content of a message is not a DAP message in JSON'],
          'the first request of a client is not initialize',
        ]
          .map((problem) => `mpidbg: closed a connection: ${problem}`)
          .sort(),
      );
    });

    it(`${kind}: 200 connections that say nothing keep no client out, and are closed`, async () => {
      const target = await start(kind);
      const silent: Socket[] = [];
      const closed: Promise<void>[] = [];
      const flood = async (from: number, to: number): Promise<void> => {
        for (let i = from; i < to; i++) {
          const socket = await target.connect();
          // Some that begin as DAP does.
          if (i % 2 === 0) socket.write('Content-Length: 12'.slice(0, (i / 2) % 18));
          silent.push(socket.resume());
          closed.push(closeOf(socket));
        }
      };
      await flood(0, 100);
      const early = await target.client();
      await early.client.request('initialize', { adapterID: 'mpidbg' });
      await flood(100, 200);
      const late = await target.client();
      await late.client.request('initialize', { adapterID: 'mpidbg' });
      const open = silent.filter((socket) => !socket.closed).length;
      await Promise.all(closed);
      assert.ok(open > 0, 'none of them was there when the client came');
      assert.deepEqual(await early.client.request('threads'), { threads: [] });
      for (const { client, socket } of [early, late]) {
        const gone = closeOf(socket);
        await client.request('disconnect');
        await gone;
      }
    });

    it(`${kind}: a client that sends byte by byte is served, and one that leaves at any byte harms nobody`, async () => {
      const target = await start(kind);
      const words = framed(
        JSON.stringify({ seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'x' } }),
      );
      const sendSlowly = async (socket: Socket, text: string): Promise<void> => {
        socket.setNoDelay(true);
        for (const byte of text) await new Promise((written) => socket.write(byte, written));
      };
      for (let sent = 0; sent <= words.length; sent++) {
        const socket = await target.connect();
        await sendSlowly(socket, words.slice(0, sent));
        socket.destroy();
      }
      const socket = await target.connect();
      const answer = once(socket, 'data', { signal: AbortSignal.timeout(30_000) });
      await sendSlowly(socket, words);
      assert.match(String(await answer), /"command":"initialize"/);
      socket.destroy();
      await serves(target);
      assert.deepEqual(target.lines, []);
    });

    it(`${kind}: ends the session of a client that stops sending DAP`, async () => {
      const target = await start(kind);
      const { client, socket } = await target.client();
      await client.request('initialize', { adapterID: 'mpidbg' });
      const closed = closeOf(socket);
      socket.write(`GET / HTTP/1.1\r\n\r\n${framed(intrusion.request)}`);
      await closed;
      assert.deepEqual(target.lines, [`mpidbg: closed a connection: ${noHeader}`]);
      await serves(target);
      assert.equal(intrusion.hasRun, false);
    });
  }

  it('takes 64 clients at most', async () => {
    const target = await start('--socket');
    const clients = [];
    for (let i = 0; i < 64; i++) {
      const { client, socket } = await target.client();
      await client.request('initialize', { adapterID: 'mpidbg' });
      clients.push({ client, socket });
    }
    assert.equal(await target.answerTo(intrusion.session), '');
    assert.equal(intrusion.hasRun, false);
    const { client, socket } = clients[7]!;
    const closed = closeOf(socket);
    await client.request('disconnect');
    await closed;
    await serves(target);
  });

  describe('--socket', () => {
    it('is for its user alone from the start, and gone at the end', async () => {
      const path = join(folder, 'dap');
      const umask = process.umask(0);
      try {
        server = await AdapterServer.start(`--socket=${path}`);
      } finally {
        process.umask(umask);
      }
      assert.equal(server.address, path);
      const { mode } = lstatSync(path);
      assert.equal((mode & 0o777).toString(8), '600');
      await serves(server);
      await server.stop();
      assert.equal(server.process.exitCode, 0);
      assert.equal(existsSync(path), false);
    });

    it('takes the place of a socket that nobody listens at, and of no other file', async () => {
      const path = join(folder, 'dap');
      const killed = await AdapterServer.start(`--socket=${path}`);
      const ended = once(killed.process, 'exit');
      killed.process.kill('SIGKILL');
      await ended;
      assert.ok(lstatSync(path).isSocket(), 'a killed adapter leaves its socket');
      server = await AdapterServer.start(`--socket=${path}`);
      assert.match(refusal(`--socket=${path}`), /^mpidbg: another program listens at \S+: choose another path\n$/);
      await serves(server);
      await server.stop();

      writeFileSync(path, 'text');
      assert.match(refusal(`--socket=${path}`), /^mpidbg: \S+ exists and is not a socket: choose another path\n$/);
      rmSync(path);
      symlinkSync(join(folder, 'nowhere'), path);
      assert.match(refusal(`--socket=${path}`), /exists and is not a socket/);
      mkdirSync(join(folder, 'sub'));
      assert.match(refusal(`--socket=${join(folder, 'sub')}`), /exists and is not a socket/);
      assert.equal(existsSync(join(folder, 'nowhere')), false);
    });

    it('removes no socket that another adapter has put in its place', async () => {
      const path = join(folder, 'dap');
      const first = await AdapterServer.start(`--socket=${path}`);
      rmSync(path);
      server = await AdapterServer.start(`--socket=${path}`);
      await first.stop();
      await serves(server);
    });

    it('is refused where others could put another one in its place', () => {
      const shared = join(folder, 'shared');
      mkdirSync(shared);
      for (const mode of [0o777, 0o1777, 0o770, 0o702]) {
        chmodSync(shared, mode);
        assert.match(
          refusal(`--socket=${join(shared, 'dap')}`),
          /^mpidbg: \S+ must be your folder, writable by nobody else: make one with mkdir -m 700\n$/,
        );
      }
      symlinkSync(shared, join(folder, 'link'));
      assert.match(refusal(`--socket=${join(folder, 'link', 'dap')}`), /shared must be your folder/);
      assert.match(refusal(`--socket=${join(tmpdir(), 'dap')}`), /must be your folder/);
      assert.match(refusal(`--socket=${join(folder, 'absent', 'dap')}`), /the folder \S+ cannot be used: ENOENT/);
      assert.match(refusal(`--socket=${join(folder, 'x'.repeat(100))}`), /is too long for a socket: at most 107 bytes/);
      assert.deepEqual(readdirSync(shared), []);
    });

    it('is refused where others could put another folder in the place of its own', async () => {
      const shared = join(folder, 'shared');
      const own = join(shared, 'below', 'own');
      mkdirSync(own, { recursive: true, mode: 0o700 });
      for (const mode of [0o777, 0o770, 0o702]) {
        chmodSync(shared, mode);
        assert.match(
          refusal(`--socket=${join(own, 'dap')}`),
          /^mpidbg: others could replace \S+own, since they can write to \S+shared: choose a path elsewhere\n$/,
        );
      }
      // Where they cannot rename what is not theirs, as in /tmp.
      chmodSync(shared, 0o1777);
      server = await AdapterServer.start(`--socket=${join(own, 'dap')}`);
      await serves(server);
    });
  });
});

/** The words of an adapter that does not start with this argument. */
function refusal(...args: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, [adapter, ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.deepEqual([status, stdout], [2, ''], stderr);
  return stderr;
}

describe('an adapter with other arguments', () => {
  it('does not start: one line and status 2', () => {
    for (const args of [
      ['--sever=1'],
      ['--server=x'],
      ['--server'],
      ['--socket='],
      ['--server=0', '--socket=dap'],
      ['--session=editor'],
      ['4711'],
    ])
      assert.match(
        refusal(...args),
        /^mpidbg: .*usage: adapter\.js \[--server=PORT \| --socket=PATH \| --session=EDITOR_PID\]\n$/,
        args.join(' '),
      );
  });
});

describe('standard input', () => {
  let child: ChildProcess;
  let client: DapClient;
  let errors: string;
  beforeEach(() => {
    const started = spawn(process.execPath, [adapter], { stdio: 'pipe' });
    started.stdin.on('error', () => undefined); // it may end before it has read everything
    errors = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    client = new DapClient(started.stdout, started.stdin);
    child = started;
  });
  afterEach(() => child.kill());

  for (const before of [[], ['initialize']]) {
    it(`that is no DAP ends the session with one line, ${before[0] ?? 'nothing'} being said before`, async () => {
      for (const command of before) await client.request(command, { adapterID: 'mpidbg' });
      const closed = once(child, 'close', { signal: AbortSignal.timeout(30_000) });
      child.stdin?.write('Content-Type: x\r\n\r\n{}');
      assert.deepEqual(await closed, [1, null]);
      assert.equal(errors, `mpidbg: the session ends: ${noHeader}\n`);
    });
  }

  it('takes requests behind initialize, which names of JavaScript are not', async () => {
    const problem = (command: string): Promise<string> =>
      client.request(command).then(
        () => assert.fail(`${command} succeeds`),
        (error: Error) => error.message,
      );
    assert.equal(await problem('threads'), 'threads: send initialize before threads');
    await client.request('initialize', { adapterID: 'mpidbg' });
    assert.match(await problem('initialize'), /^initialize: initialize was already sent/);
    for (const command of ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf', '', 'Threads'])
      assert.equal(await problem(command), `${command}: mpidbg does not support the request "${command}"`);
    assert.deepEqual(await client.request('threads'), { threads: [] });
  });
});
