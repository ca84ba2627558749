/** A session whose client is gone without a word: what the next one finds. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { endSession, keptSessions, type KeptSession, type SessionPlace } from '../../adapter/dap/client/session-folder';
import { AdapterServer, closeOf } from '../support/adapter-server';
import type { DapClient } from '../support/dap-client';
import { eventually, hasEnded } from '../support/process-state';
import { launchers, markerLine, samplePath } from '../support/sample-job';

const source = 'ring.c';
const marker = 'token arrived';

/** An adapter as the extension starts it, its client, and the ranks. */
class KeptRun {
  private constructor(
    readonly adapter: AdapterServer,
    readonly client: DapClient,
    private readonly socket: Socket,
    readonly pids: readonly number[],
  ) {}

  /** Two ranks of MPICH, stopped at the marker. */
  static stopped(attributes: object, editor = process.pid): Promise<KeptRun> {
    return KeptRun.start(editor, attributes, (client) =>
      client.waitFor('stopped', ({ body }: DebugProtocol.StoppedEvent) => body.allThreadsStopped === true),
    );
  }

  /** Two ranks of MPICH that wait for SIGUSR1. */
  static waiting(): Promise<KeptRun> {
    const attributes = { program: samplePath('mpich', 'communicators'), args: ['--wait'] };
    return KeptRun.start(process.pid, attributes, (client) =>
      Promise.all(
        [0, 1].map((rank) =>
          client.waitFor('output', ({ body }: DebugProtocol.OutputEvent) =>
            body.output.includes(`MPIDBG-WAITING {"rank":${rank}`),
          ),
        ),
      ),
    );
  }

  private static async start(
    editor: number,
    attributes: object,
    ready: (client: DapClient) => Promise<unknown>,
  ): Promise<KeptRun> {
    const adapter = await AdapterServer.start(`--session=${editor}`);
    try {
      const { client, socket } = await adapter.client();
      await launch(client, attributes);
      await ready(client);
      return new KeptRun(adapter, client, socket, await pidsOf(client));
    } catch (error) {
      adapter.process.kill('SIGKILL');
      throw error;
    }
  }

  lose(): void {
    this.socket.destroy();
  }

  /** One byte of the client that is no DAP. */
  babble(): void {
    this.socket.write('x');
  }

  /** The adapter closes the connection. */
  lost(): Promise<void> {
    return closeOf(this.socket);
  }

  /** As another client finds it. */
  async found(): Promise<KeptSession & SessionPlace> {
    const found = (await keptSessions()).find(({ socket }) => socket === this.adapter.address);
    assert.ok(found, 'the session is not found');
    return found;
  }

  /** The same, once its client is lost. */
  async kept(): Promise<KeptSession & SessionPlace> {
    await eventually('a session without client', async () => (await this.found()).since !== null);
    return this.found();
  }

  /** Nothing of it is left. */
  async ended(): Promise<void> {
    const { process: adapter } = this.adapter;
    if (adapter.exitCode === null) await once(adapter, 'exit', { signal: AbortSignal.timeout(20_000) });
    assert.equal(adapter.exitCode, 0, 'the adapter did not end well');
    await eventually('the end of the ranks', () => this.pids.every(hasEnded));
    assert.equal(
      (await keptSessions()).find(({ socket }) => socket === this.adapter.address),
      undefined,
    );
  }

  kill(): void {
    this.adapter.process.kill('SIGKILL');
  }
}

async function launch(client: DapClient, attributes: object): Promise<void> {
  const { command: launcher, env } = launchers.mpich;
  const program = samplePath('mpich', 'ring');
  await client.request('initialize', { adapterID: 'mpidbg' });
  const launched = client.request('launch', { name: 'ring', program, ranks: 2, launcher, env, ...attributes });
  await Promise.race([client.waitFor('initialized'), launched]);
  await configure(client);
  await launched;
}

async function configure(client: DapClient): Promise<void> {
  await client.request('setBreakpoints', {
    source: { path: join(__dirname, '..', '..', 'samples', source) },
    breakpoints: [{ line: markerLine(source, marker) }],
  });
  // Signals stop no rank.
  await client.request('setExceptionBreakpoints', { filters: [] });
  await client.request('configurationDone');
}

function message(command: string, args: object = {}): string {
  const json = JSON.stringify({ seq: 1, type: 'request', command, arguments: args });
  return `Content-Length: ${json.length}\r\n\r\n${json}`;
}

async function pidsOf(client: DapClient): Promise<number[]> {
  const { ranks } = await client.request<{ ranks: { pid: number }[] }>('mpidbg/ranks');
  return ranks.map(({ pid }) => pid);
}

describe('a session whose client is lost', () => {
  let run: KeptRun | undefined;
  let editor: ChildProcess | undefined;
  afterEach(() => {
    run?.kill();
    editor?.kill('SIGKILL');
    run = editor = undefined;
  });

  it('is found by the next client as it was, and goes on', async () => {
    run = await KeptRun.stopped({});
    await run.client.request('mpidbg/focus', { ranks: '1' });
    run.lose();
    const { name, request, ranks } = await run.kept();
    assert.deepEqual({ name, request, ranks }, { name: 'ring', request: 'launch', ranks: 2 });

    const { client, socket } = await run.adapter.client();
    await client.request('initialize', { adapterID: 'mpidbg' });
    await client.request('launch', { keptSession: 'it' });
    await client.waitFor('initialized');
    await configure(client);
    const { body } = await client.waitFor<DebugProtocol.StoppedEvent>('stopped');
    assert.deepEqual(await pidsOf(client), run.pids);
    assert.equal((await client.request<{ ranks: string }>('mpidbg/focus')).ranks, '1');
    assert.equal((await run.found()).since, null);

    const { threads } = await client.request<DebugProtocol.ThreadsResponse['body']>('threads');
    const threadId = threads.find(({ name: each }) => each === 'rank 1')!.id;
    assert.deepEqual([body.threadId, body.allThreadsStopped], [threadId, true], 'a rank of the focus is shown');
    const since = client.events.length;
    await client.request('next', { threadId });
    const step = await client.waitFor<DebugProtocol.StoppedEvent>('stopped', () => true, { since });
    assert.equal(step.body.description, 'rank 1: step');

    const closed = closeOf(socket);
    await client.request('disconnect');
    await closed;
    await run.ended();
  });

  it('tells the next client what the job printed meanwhile, and its end', async () => {
    run = await KeptRun.waiting();
    run.lose();
    await run.kept();
    for (const pid of run.pids) process.kill(pid, 'SIGUSR1');
    await eventually('the end of the ranks', () => run!.pids.every(hasEnded));

    const { client } = await run.adapter.client();
    await client.request('initialize', { adapterID: 'mpidbg' });
    await client.request('launch', { keptSession: 'it' });
    await client.waitFor('terminated');
    assert.match(client.outputText(), /(rank 1|ranks 0-1) exited with status 0/);
    const { body } = await client.waitFor<DebugProtocol.ExitedEvent>('exited');
    assert.equal(body.exitCode, 0);
    await client.request('disconnect');
    await run.ended();
  });

  it('goes over to the next client, even if the one before has not gone yet', async () => {
    run = await KeptRun.stopped({});
    const { since, ...place } = await run.found();
    assert.equal(since, null);
    const lost = run.lost();
    const { client } = await run.adapter.client();
    await client.request('initialize', { adapterID: 'mpidbg' });
    await assert.rejects(client.request('attach', { pids: [process.pid] }), /already has a job/);
    await client.request('launch', { keptSession: place.id });
    await lost;
    await configure(client);
    await client.waitFor('stopped');
    await client.request('disconnect');
    await run.ended();
  });

  it('goes on with its client, whatever strangers send to its socket', async () => {
    run = await KeptRun.stopped({});
    const strangers = ['x', 'Content-Le', 'Content-Length: 99999999999\r\n\r\n', 'Content-Length: -1\r\n\r\n'];
    const http = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (const bytes of [...strangers, http, message('disconnect'), message('launch', { keptSession: 'it' })]) {
      const socket = await run.adapter.connect();
      socket.resume().end(bytes);
      await closeOf(socket);
    }
    const { client, socket } = await run.adapter.client();
    await client.request('initialize', { adapterID: 'mpidbg' });
    await assert.rejects(client.request('threads'), /no job is being debugged/);
    const closed = closeOf(socket);
    await client.request('disconnect');
    await closed;

    assert.deepEqual(await pidsOf(run.client), run.pids, 'its client has it still');
    await run.client.request('disconnect');
    await run.ended();
  });

  it('is kept when its client stops speaking DAP', async () => {
    run = await KeptRun.stopped({});
    const lost = run.lost();
    run.babble();
    await lost;
    await endSession(await run.kept());
    await run.ended();
  });

  it('ends when its time is over', async () => {
    run = await KeptRun.stopped({ keepSession: 0.01 });
    run.lose();
    await run.ended();
  });

  it('ends at once when it is not to be kept, and belongs to its client until then', async () => {
    run = await KeptRun.stopped({ keepSession: 0 });
    const { client } = await run.adapter.client();
    await client.request('initialize', { adapterID: 'mpidbg' });
    await assert.rejects(client.request('launch', { keptSession: 'it' }), /already has a job/);
    run.lose();
    await run.ended();
  });

  it('ends when VS Code itself has ended', async () => {
    editor = spawn('sleep', ['600'], { stdio: 'ignore' });
    run = await KeptRun.stopped({}, editor.pid);
    run.lose();
    await run.kept();
    editor.kill();
    await run.ended();
  });

  it('ends when the user wants it no longer', async () => {
    run = await KeptRun.stopped({});
    run.lose();
    await endSession(await run.kept());
    await run.ended();
  });
});
