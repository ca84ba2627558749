import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, Server, type ListenOptions, type Socket } from 'node:net';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { Hub, type Peer } from '../../adapter/agent/hub';
import { LineReader } from '../../adapter/agent/line-reader';
import { formatMessage, parseMessage } from '../../adapter/agent/messages';

/** A connection to the hub that speaks by hand. */
class Caller {
  readonly lines: LineReader;

  private constructor(readonly socket: Socket) {
    this.lines = new LineReader(socket, 10_000);
    socket.on('error', () => undefined);
  }

  static async dial(hub: Hub): Promise<Caller> {
    const [host, port] = hub.environment.MPIDBG_HUB.split(':');
    const socket = connect({ port: Number(port), host, noDelay: true });
    await once(socket, 'connect');
    return new Caller(socket);
  }

  say(line: string): void {
    this.socket.write(`${line}\n`);
  }

  /** The agent's side of the handshake, with what it said, for a replay. */
  async prove(token: Buffer, nonce = randomBytes(32).toString('hex')): Promise<string[]> {
    this.say(`mpidbg1 ${nonce}`);
    const [theirs = '', proof] = (await this.lines.next()).split(' ');
    const expected = createHmac('sha256', token).update(`hub ${nonce} ${theirs}`).digest('hex');
    const answer = createHmac('sha256', token).update(`agent ${nonce} ${theirs}`).digest('hex');
    this.say(answer);
    this.hubProved = proof === expected;
    return [`mpidbg1 ${nonce}`, answer];
  }

  hubProved = false;

  async closed(): Promise<void> {
    this.socket.resume();
    // Not once(): a connection that is reset closes with an error.
    if (!this.socket.closed) await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
  }
}

describe('hub', () => {
  it('listens where the loopback interface has no IPv4', async () => {
    const prototype: { listen: (this: Server, options: ListenOptions) => Server } = Server.prototype;
    const { listen } = prototype;
    const asked: unknown[] = [];
    prototype.listen = function (options) {
      asked.push(options.host);
      if (options.host !== '127.0.0.1') return listen.call(this, { ...options, host: '127.0.0.1' });
      process.nextTick(() => this.emit('error', new Error('EADDRNOTAVAIL')));
      return this;
    };
    try {
      (await Hub.listen(shippedMpis)).close();
    } finally {
      prototype.listen = listen;
    }
    assert.deepEqual(asked, ['127.0.0.1', '::1']);
  });

  let hub: Hub;
  let token: Buffer;
  const peers: Peer[] = [];
  const refused: string[] = [];

  beforeEach(async () => {
    peers.length = 0;
    refused.length = 0;
    hub = await Hub.listen(shippedMpis, { deadline: 300 });
    token = Buffer.from(hub.environment.MPIDBG_TOKEN, 'hex');
    hub.on('peer', (peer) => peers.push(peer));
    hub.on('refused', (why) => refused.push(why));
  });

  afterEach(() => hub.close());

  it('listens on the loopback interface with a token of 32 bytes', () => {
    assert.match(hub.environment.MPIDBG_HUB, /^127\.0\.0\.1:\d+$/);
    assert.equal(token.length, 32);
  });

  it('takes one who knows the token, and proves to it that it knows the token too', async () => {
    const caller = await Caller.dial(hub);
    await caller.prove(token);
    caller.say('rank rank=3 host=node%201');
    const [peer] = (await once(hub, 'peer')) as [Peer];
    assert.ok(caller.hubProved);
    assert.deepEqual(peer.hello, { kind: 'rank', fields: { rank: '3', host: 'node 1' } });
    const message = once(peer, 'message');
    caller.say('failed reason=No%20such%20file');
    assert.deepEqual(await message, [{ kind: 'failed', fields: { reason: 'No such file' } }]);
    peer.send('hold', { pid: 12, then: 'kill' });
    assert.equal(await caller.lines.next(), 'hold pid=12 then=kill');
  });

  it('hands over the stream behind an "mi" hello to the last byte', async () => {
    const caller = await Caller.dial(hub);
    await caller.prove(token);
    caller.socket.write('mi id=1\n(gdb) \n1^done\n');
    const [peer] = (await once(hub, 'peer')) as [Peer];
    peer.stream.resume();
    const [chunk] = (await once(peer.stream, 'data')) as [Buffer];
    assert.equal(chunk.toString(), '(gdb) \n1^done\n');
  });

  it('refuses a wrong token, and a proof that is none', async () => {
    const wrong = await Caller.dial(hub);
    await wrong.prove(randomBytes(32));
    wrong.say('rank rank=0');
    await wrong.closed();
    assert.ok(!wrong.hubProved);

    const short = await Caller.dial(hub);
    short.say(`mpidbg1 ${'0'.repeat(64)}`);
    await short.lines.next();
    short.say('zz');
    await short.closed();
    assert.deepEqual([peers.length, refused], [0, ['it does not know the token', 'it does not know the token']]);
  });

  it('refuses the hub’s own proof sent back to it', async () => {
    const caller = await Caller.dial(hub);
    caller.say(`mpidbg1 ${'a'.repeat(64)}`);
    const [, proof = ''] = (await caller.lines.next()).split(' ');
    caller.say(proof);
    caller.say('rank rank=0');
    await caller.closed();
    assert.equal(peers.length, 0);
  });

  it('refuses a recorded dialogue', async () => {
    const first = await Caller.dial(hub);
    const [greeting = '', answer = ''] = await first.prove(token);
    first.say('rank rank=0');
    await once(hub, 'peer');

    const replay = await Caller.dial(hub);
    replay.say(greeting);
    replay.say(answer);
    replay.say('rank rank=1');
    await replay.closed();
    assert.equal(peers.length, 1);
  });

  it('refuses garbage, endless lines, and an unreadable hello', async () => {
    for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), randomBytes(2000), Buffer.alloc(100_000, 'a')]) {
      const caller = await Caller.dial(hub);
      caller.socket.write(bytes);
      caller.socket.write('\n');
      await caller.closed();
    }
    const caller = await Caller.dial(hub);
    await caller.prove(token);
    caller.say('rank rank=%E0%A4%A');
    await caller.closed();
    assert.equal(peers.length, 0);
    assert.equal(refused.length, 4);
  });

  it('closes who takes too long, before and after the proof', async () => {
    const silent = await Caller.dial(hub);
    const proved = await Caller.dial(hub);
    await proved.prove(token);
    await Promise.all([silent.closed(), proved.closed()]);
    assert.deepEqual(refused, Array(2).fill('it took too long to prove the token'));
  });

  it('goes on with others when one breaks off', async () => {
    const gone = await Caller.dial(hub);
    gone.say(`mpidbg1 ${'0'.repeat(64)}`);
    gone.socket.destroy();
    const caller = await Caller.dial(hub);
    await caller.prove(token);
    caller.say('rank rank=0');
    await once(hub, 'peer');
    assert.equal(peers.length, 1);
  });

  it('ends every connection when it closes', async () => {
    const stranger = await Caller.dial(hub);
    const caller = await Caller.dial(hub);
    await caller.prove(token);
    caller.say('rank rank=0');
    const [peer] = (await once(hub, 'peer')) as [Peer];
    hub.close();
    await Promise.all([stranger.closed(), caller.closed()]);
    if (!peer.isClosed) await once(peer, 'closed');
    peer.send('go');
  });
});

describe('messages', () => {
  it('come through as they were written', () => {
    const fields = { pid: 4711, reason: 'a b=c\n%é/x' };
    assert.deepEqual(parseMessage(formatMessage('failed', fields)), {
      kind: 'failed',
      fields: { pid: '4711', reason: 'a b=c\n%é/x' },
    });
  });

  it('are nothing else', () => {
    for (const line of ['', 'Rank', 'rank x', 'rank =x', 'rank a=%', 'rank  a=b', 'rank a=b c']) {
      assert.equal(parseMessage(line), undefined, line);
    }
  });
});
