/** The debug adapter as a server, and what tells whether somebody made it run a command. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DapClient, DapError } from './dap-client';
import { patienceMs } from './patience';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

export class AdapterServer {
  /** Lines of standard error behind the first, which says where it listens. */
  readonly lines: string[] = [];

  private constructor(
    readonly process: ChildProcess,
    /** The words behind "listening on ". */
    readonly address: string,
  ) {}

  static async start(...args: readonly string[]): Promise<AdapterServer> {
    const child = spawn(process.execPath, [adapter, ...args], { stdio: ['ignore', 'inherit', 'pipe'] });
    const lines = createInterface(child.stderr);
    const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(patienceMs) })) as [string];
    const server = new AdapterServer(child, line.replace('listening on ', ''));
    lines.on('line', (more) => server.lines.push(more));
    return server;
  }

  get port(): number {
    return Number(/^127\.0\.0\.1:(\d+)$/.exec(this.address)?.[1]);
  }

  private get place(): NetConnectOpts {
    return this.address.startsWith('/') ? { path: this.address } : { port: this.port, host: '127.0.0.1' };
  }

  async connect(): Promise<Socket> {
    const socket = connect(this.place);
    await once(socket, 'connect', { signal: AbortSignal.timeout(patienceMs) });
    // A connection that is closed with bytes unread is reset.
    socket.on('error', () => undefined);
    return socket;
  }

  /** All that comes back for these bytes until the connection is closed. */
  async answerTo(...pieces: readonly (string | Buffer)[]): Promise<string> {
    const socket = await this.connect();
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    const closed = closeOf(socket);
    for (const piece of pieces) socket.write(piece);
    await closed;
    return Buffer.concat(received).toString();
  }

  async client(): Promise<{ client: DapClient; socket: Socket }> {
    const socket = await this.connect();
    return { client: new DapClient(socket, socket), socket };
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    if (this.process.exitCode === null) await once(this.process, 'exit', { signal: AbortSignal.timeout(patienceMs) });
  }
}

/** Resolves when the connection is closed, in whatever way. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error('the connection stays open')), patienceMs);
    const done = (): void => {
      clearTimeout(deadline);
      resolve();
    };
    if (socket.closed) done();
    else socket.once('close', done);
  });
}

/** A command that leaves a file, and requests that make the adapter run it: with it as gdb. */
export class Intrusion {
  private readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-intrusion-'));
  private readonly command = join(this.folder, 'command');
  private readonly mark = join(this.folder, 'it-ran');
  private readonly attach = { pids: [process.pid], gdb: this.command };

  constructor() {
    writeFileSync(this.command, `#!/bin/sh\n: > ${this.mark}\n`, { mode: 0o755 });
  }

  get hasRun(): boolean {
    return existsSync(this.mark);
  }

  /** The one request that runs it. It has a "=", as the body of a form does. */
  get request(): string {
    return JSON.stringify({ note: '=', seq: 2, type: 'request', command: 'attach', arguments: this.attach });
  }

  /** A whole session of DAP that runs it. */
  get session(): string {
    const initialize = JSON.stringify({
      seq: 1,
      type: 'request',
      command: 'initialize',
      arguments: { adapterID: 'x' },
    });
    return framed(initialize) + framed(this.request);
  }

  /** Runs it as a client may: what was sent before has been read by then, and the command is one that can run. */
  async runAsClient(server: AdapterServer): Promise<void> {
    const { client, socket } = await server.client();
    await client.request('initialize', { adapterID: 'x' });
    await assert.rejects(client.request('attach', this.attach), DapError);
    assert.equal(this.hasRun, true, 'the command is run for a client');
    const closed = closeOf(socket);
    await client.request('disconnect');
    await closed;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

export function framed(json: string): string {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}
