/** A third machine of the network that is first at the adapter's door, floods it, and says what it likes. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { launchers } from '../support/sample-job';
import { Cluster, launcherArgs } from './cluster';

/**
 * Keeps 700 connections to HOST PORT, more than may wait at the door, and says one of these words on each; instead of one that is
 * closed it makes another, until it is asked (by a line) how it went.
 */
const attacker = `
const { connect } = require('node:net');
const [host, port] = process.argv.slice(1);
const hex = 'ab'.repeat(32);
const sayings = ['', 'mpidbg1-node ' + hex + '\\n', 'mpidbg1-node ' + hex + '\\n' + hex + '\\n', 'mpidbg1 ' + hex + '\\n',
  'GET / HTTP/1.1\\r\\n\\r\\n', 'x'.repeat(1 << 20), '\\0\\0\\0\\x05q\\0\\0\\0\\1' + 'y'.repeat(1000)];
let [open, made, isAsked] = [0, 0, false];
const dial = (told) => {
  const socket = connect({ host, port });
  let isOpen = false;
  socket.on('error', (error) => told?.(error.code === 'ECONNREFUSED'));
  socket.on('connect', () => { isOpen = true; open += 1; socket.write(sayings[made++ % sayings.length]); told?.(false); });
  socket.on('close', () => { if (isOpen) open -= 1; if (!isAsked) setImmediate(dial); });
  socket.resume();
};
for (let i = 0; i < 700; i++) dial();
require('node:readline').createInterface({ input: process.stdin }).on('line', () => {
  isAsked = true;
  dial((isRefused) => console.log(made, open, isRefused));
});
`;

class Attacker {
  private readonly lines: Interface;

  constructor(private readonly child: ChildProcess) {
    this.lines = createInterface({ input: child.stdout! });
  }

  /** Connections that were made, those that are still open, and whether one more is refused. */
  async ask(): Promise<{ made: number; open: number; isRefused: boolean }> {
    const answer = once(this.lines, 'line') as Promise<[string]>;
    this.child.stdin!.write('\n');
    const [made, open, isRefused] = (await answer)[0].split(' ');
    return { made: Number(made), open: Number(open), isRefused: isRefused === 'true' };
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}

describe('a hostile machine in the network of a job', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start(['nodea', 'nodeb', 'mallory']);
  });
  after(() => cluster.stop());

  const spawnOn = (name: string, words: readonly string[]): ChildProcess => {
    const [command = '', ...args] = cluster.on(name, words);
    return spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  };

  /** Where a process of the first host listens for other hosts. */
  async function doorOf(command: RegExp): Promise<{ host: string; port: string }[]> {
    const child = spawnOn('nodea', ['ss', '-ltnpH']);
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(child, 'close');
    return text.split('\n').flatMap((line) => {
      const [, , , local = ''] = line.split(/\s+/);
      const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(local) ?? [];
      return host === '' || host.startsWith('127.') || !command.test(line) ? [] : [{ host, port }];
    });
  }

  it('gets nothing done by coming first, in thousands, and with anything it says; the job is debugged all the same', async () => {
    // The agent of the other host is late.
    await cluster.slow('nodeb', { delay: 200 });
    const run = await DebugRun.open({}, cluster.on('nodea', []));
    const launched = run.launch({
      mpi: 'mpich',
      program: 'ring',
      breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 1' }],
      attributes: { launcherArgs: launcherArgs('mpich', 'nodea:2,nodeb:2'), env: launchers.mpich.env },
    });
    let doors: { host: string; port: string }[] = [];
    await eventually('the door', async () => (doors = await doorOf(/"(node|MainThread)"/)).length > 0);
    const [{ host, port }] = doors as [{ host: string; port: string }];
    const mallory = new Attacker(spawnOn('mallory', [process.execPath, '-e', attacker, host, port]));
    await launched;
    await run.nextStops([0, 1, 2, 3], 'breakpoint');
    const { made } = await mallory.ask();
    assert.ok(made > 700, `it was there ${made} times only`);
    for (const rank of [0, 3]) assert.equal((await run.local(rank, 'rank')).value, String(rank));
    // All agents are there: nobody else gets in, and who was on the doorstep is sent away.
    await eventually('the end of its connections', async () => {
      const { open, isRefused } = await mallory.ask();
      return open === 0 && isRefused;
    });
    assert.equal(run.client.events.filter(({ event }) => event === 'terminated').length, 0);
    const warnings = run.client.events
      .filter((event): event is DebugProtocol.OutputEvent => event.event === 'output')
      .filter(({ body }) => body.category === 'stderr' || body.category === 'important');
    assert.deepEqual(
      warnings.map(({ body }) => body.output),
      [],
    );
    await mallory.end();
    await run.close();
    await eventually('the end of all', () => cluster.hosts.every(({ name }) => cluster.processes(name).length === 0));
  });
});
