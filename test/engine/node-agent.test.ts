/** The agent of another host, started on this one, where another user's hub is not in its way: what it answers is what the kernel says. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AgentHost } from '../../adapter/agent/agent-host';
import { Hub } from '../../adapter/agent/hub';
import type { Link } from '../../adapter/agent/link';
import type { ProcessMemory } from '../../adapter/hosts/host';
import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';
import { FaultError } from '../../plugin-api/result';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { eventually, hasEnded, processesWith, processState } from '../support/process-state';

/** Stands between the agent and the debugger. */
class Proxy {
  private readonly sockets: Socket[] = [];
  private readonly server: Server;
  /** The next bytes to this side are changed. */
  private tampered: 'agent' | 'debugger' | undefined;
  address = '';

  constructor(to: string) {
    const [host, port] = to.split(':');
    this.server = createServer((agent) => {
      const debuggers = connect(Number(port), host);
      this.sockets.push(agent, debuggers);
      this.pass(agent, debuggers, 'debugger');
      this.pass(debuggers, agent, 'agent');
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.address = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  tamper(side: 'agent' | 'debugger'): void {
    this.tampered = side;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(from: Socket, to: Socket, side: 'agent' | 'debugger'): void {
    from.on('data', (chunk: Buffer) => {
      if (this.tampered === side) chunk[chunk.length - 1]! ^= 1;
      to.write(chunk);
    });
    from.on('end', () => to.end());
    for (const event of ['error', 'close']) from.on(event, () => to.destroy());
  }
}

/** In the environment of the agent and of all that it starts. */
const [name, value] = ['MPIDBG_TEST_RUN', randomUUID()];
const mark = `${name}=${value}`;

describe('the agent of a host', () => {
  let hub: Hub;
  let proxy: Proxy;
  let link: Link;
  let host: AgentHost;
  let finder: ChildProcess;

  beforeEach(async () => {
    hub = await Hub.listen(shippedMpis, { door: { addresses: ['127.0.0.1'] } });
    proxy = new Proxy(hub.environment.MPIDBG_DOOR!);
    await proxy.listen();
    const linked = once(hub, 'link') as Promise<[Link]>;
    // As on a host on which nobody listens where the debugger's own does.
    const env = { ...process.env, ...hub.environment, MPIDBG_HUB: '', MPIDBG_DOOR: proxy.address, [name]: value };
    const [command = '', ...args] = hub.agentCommand({});
    finder = spawn(command, [...args, 'find'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    [link] = await linked;
    host = new AgentHost(hub, link);
  });
  afterEach(async () => {
    const ended = finder.exitCode === null ? once(finder, 'exit') : undefined;
    hub.close();
    proxy.close();
    await ended;
  });

  /** `check` is called for a process that was to end with the debugger, when all of ours has ended. */
  async function withHeld(work: (pid: number) => void, check: (pid: number) => unknown): Promise<void> {
    const process = spawn('sleep', ['1000'], { stdio: 'ignore' });
    try {
      const gdb = await host.startGdb('gdb');
      gdb.mi.resume();
      gdb.hold(process.pid!, 'kill');
      work(process.pid!);
      await once(finder, 'exit');
      await eventually('the end of the guardians', () => processesWith(mark).length === 0);
      await check(process.pid!);
    } finally {
      process.kill('SIGKILL');
    }
  }

  it('ends the ranks with a debugger that ends', async () => {
    await withHeld(
      () => link.close(),
      (pid) => eventually('the end of the process that was killed', () => hasEnded(pid)),
    );
  });

  for (const side of ['agent', 'debugger'] as const) {
    it(`lets its ranks go when somebody changes what comes to the ${side}`, async () => {
      const tamper = (pid: number): void => {
        proxy.tamper(side);
        // The agent's answer to it is changed, or the question is.
        host.lives([pid]).catch(() => undefined);
      };
      await withHeld(tamper, (pid) => assert.ok(!hasEnded(pid), 'it was ended'));
    });
  }

  it('tells of all processes at once which of them live', async () => {
    const short = spawn('sh', ['-c', 'read line; exit 5'], { stdio: ['pipe', 'ignore', 'ignore'] });
    // A parent that does not wait for it.
    const parent = spawn('perl', ['-e', '$| = 1; $child = fork || exit 7; print $child; sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const dead = Number(line.toString());
      await eventually('the end of the child', () => processState(dead) === 'Z');
      const pids = [process.pid, dead, short.pid!, 0x7ffffff];
      const lives = await host.lives(pids);
      assert.deepEqual(lives, await localHost.lives(pids));
      assert.deepEqual(
        lives.map((life) => life?.endStatus),
        [undefined, 7 << 8, undefined, undefined],
      );
      assert.equal(lives[3], undefined);
    } finally {
      short.kill();
      parent.kill();
    }
  });

  it('reads memory and files as the kernel has them', async () => {
    const sleeper = spawn('sleep', ['1000'], { stdio: 'ignore' });
    try {
      await eventually('sleep sleeps', () => processState(sleeper.pid!) === 'S');
      const [there, here] = [new HostProcess(host, sleeper.pid!), new HostProcess(localHost, sleeper.pid!)];
      const maps = await here.maps();
      assert.deepEqual(await there.maps(), maps);
      const stack = maps.find(({ path }) => path === '[stack]')!;
      const libc = maps.find(({ path }) => path.includes('libc'))!;
      const [far, near] = [there.openMemory(), here.openMemory()];
      const read = async (memory: ProcessMemory, address: bigint, length: number): Promise<unknown> =>
        memory.read(address, length).then(
          (bytes) => Buffer.from(bytes).toString('hex'),
          (error: unknown) => error instanceof FaultError,
        );
      const ranges: [bigint, number][] = [
        [stack.start, Number(stack.end - stack.start)],
        [stack.end - 5n, 5],
        [stack.end - 5n, 6],
        [libc.start + 4090n, 20_000],
        [8n, 8],
      ];
      const known = await Promise.all(ranges.map(([address, length]) => read(near, address, length)));
      assert.deepEqual(await Promise.all(ranges.map(([address, length]) => read(far, address, length))), known);
      assert.deepEqual([known[2], known[4]], [true, true]);
      const ended = once(sleeper, 'exit');
      sleeper.kill();
      await ended;
      assert.equal(await read(far, ...ranges[0]!), known[0], 'as it was at the stop');
      far.close();
      await assert.rejects(far.read(stack.start, 8), /has exited/);
      near.close();
    } finally {
      sleeper.kill();
    }
  });
});
