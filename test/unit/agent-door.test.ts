/** The agents of other hosts, and who else comes to the door that is open to the network. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { Hub, type Peer } from '../../adapter/agent/hub';
import { LineReader } from '../../adapter/agent/line-reader';
import { HostLostError } from '../../adapter/agent/host-lost-error';
import { Channel, type Link } from '../../adapter/agent/link';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { about, HandAgent, hmac } from '../support/hand-agent';

/** Mebibytes on a channel. */
function flood(channel: number, count: number): Buffer[] {
  return Array.from({ length: count }, () => about('d', channel, Buffer.alloc(1 << 20)));
}

describe('the door for agents of other hosts', () => {
  let hub: Hub;
  let token: Buffer;
  const links: Link[] = [];
  const refused: string[] = [];

  beforeEach(async () => {
    links.length = 0;
    refused.length = 0;
    hub = await Hub.listen(shippedMpis, { deadline: 300, door: { addresses: ['127.0.0.1'] } });
    token = Buffer.from(hub.environment.MPIDBG_TOKEN, 'hex');
    hub.on('link', (link) => links.push(link));
    hub.on('refused', (why) => refused.push(why));
  });
  afterEach(() => hub.close());

  async function linked(): Promise<{ node: HandAgent; link: Link }> {
    const node = await HandAgent.dial(hub);
    await node.prove(token);
    const arrived = once(hub, 'link') as Promise<[Link]>;
    node.say('node host=far%20away pid=1');
    const [link] = await arrived;
    return { node, link };
  }

  it('is not there for a job of one host', async () => {
    const alone = await Hub.listen(shippedMpis);
    assert.deepEqual([alone.hasDoor, 'MPIDBG_DOOR' in alone.environment], [false, false]);
    alone.close();
  });

  it('takes an agent that knows the token, with the connections behind it', async () => {
    const { node, link } = await linked();
    assert.equal(link.host, 'far away');
    const arrived = once(link, 'channel');
    node.say(about('o', 7));
    await arrived;
    // Who is behind the agent has to prove itself, too.
    node.say(about('d', 7, 'hello\n'));
    await once(hub, 'refused');
    assert.deepEqual(refused, ['it does not speak our protocol']);
  });

  it('takes its answers, each for its question', async () => {
    const { node, link } = await linked();
    const answers = [link.ask('readfile', { path: '/a' }), link.ask('readfile', { path: '/b' })];
    node.say(about('m', 1, 'a long '));
    node.say(about('a', 2, 'no code=ENOENT\n'));
    node.say(about('a', 1, Buffer.from('yes\n\0\n\xff', 'latin1')));
    const [first, second] = await Promise.all(answers);
    assert.deepEqual([first?.kind, first?.bytes], ['yes', Buffer.from('a long \0\n\xff', 'latin1')]);
    assert.deepEqual([second?.kind, second?.fields.code], ['no', 'ENOENT']);
  });

  it('refuses who does not know the token, and proofs of the other kind of connection', async () => {
    const silent = await HandAgent.dial(hub);
    const garbage = await HandAgent.dial(hub);
    garbage.socket.write(randomBytes(5000));
    const home = await HandAgent.dial(hub);
    home.socket.write(`mpidbg1 ${'0'.repeat(64)}\n`);
    const wrong = await HandAgent.dial(hub);
    const lines = new LineReader(wrong.socket, 1000);
    wrong.socket.write(`mpidbg1-node ${'a'.repeat(64)}\n`);
    const [theirs = '', proof = ''] = (await lines.next()).split(' ');
    // Its own proof, and that of an agent on this machine.
    for (const answer of [proof, hmac(token, `agent ${'a'.repeat(64)} ${theirs}`).toString('hex')])
      wrong.socket.write(`${answer}\n`);
    await Promise.all([silent, garbage, home, wrong].map((each) => each.closed()));
    assert.equal(links.length, 0);
    assert.equal(refused.length, 4);
  });

  it('closes an agent that proves the token and then says nothing, or no name', async () => {
    const nameless = await HandAgent.dial(hub);
    await nameless.prove(token);
    nameless.say('rank rank=0');
    const mute = await HandAgent.dial(hub);
    await mute.prove(token);
    await Promise.all([nameless.closed(), mute.closed()]);
    assert.equal(links.length, 0);
  });

  for (const [what, tamper] of [
    ['changed', (frames: Buffer[]) => frames.map((each) => ((each[8]! ^= 1), each))],
    ['repeated', ([first, ...rest]: Buffer[]) => [first!, first!, ...rest]],
    ['left out', ([, ...rest]: Buffer[]) => rest],
    ['put in another order', (frames: Buffer[]) => frames.toReversed()],
    ['put in', (frames: Buffer[]) => [Buffer.concat([Buffer.from([0, 0, 0, 5]), Buffer.alloc(21, 'o')]), ...frames]],
    ['cut off', (frames: Buffer[]) => frames.map((each) => each.subarray(0, -1))],
    ['endless', () => [Buffer.alloc(1 << 16, 255)]],
  ] as [string, (frames: Buffer[]) => Buffer[]][]) {
    it(`does not look at a frame when something is ${what} on the way, and ends the connection`, async () => {
      const { node, link } = await linked();
      const opened: number[] = [];
      link.on('channel', () => opened.push(opened.length));
      const asked = assert.rejects(link.ask('list', { path: '/' }), HostLostError);
      const frames = [node.frame(about('o', 1)), node.frame(about('o', 2))];
      for (const bytes of tamper(frames)) node.socket.write(bytes);
      await node.closed();
      await asked;
      // What was repeated had been said once.
      assert.equal(opened.length, what === 'repeated' ? 1 : 0);
    });
  }

  it('refuses a recorded dialogue', async () => {
    const { node } = await linked();
    const replay = await HandAgent.dial(hub);
    const nonce = 'b'.repeat(64);
    replay.socket.write(`mpidbg1-node ${nonce}\n${hmac(token, `node ${nonce} ${nonce}`).toString('hex')}\n`);
    replay.socket.write(node.frame(about('o', 3)));
    await replay.closed();
    assert.equal(links.length, 1);
  });

  it('lets an agent in however many others hold connections and say nothing', async () => {
    const flood = await Promise.all(Array.from({ length: 600 }, () => HandAgent.dial(hub)));
    await linked();
    assert.equal(links.length, 1);
    for (const each of flood) each.socket.destroy();
  });

  it('lets an agent prove itself slowly while more than it has room for come from another host', async () => {
    const patient = await Hub.listen(shippedMpis, { deadline: 60_000, door: { addresses: ['127.0.0.1'] } });
    const why: string[] = [];
    patient.on('refused', (reason) => why.push(reason));
    const arrived = once(patient, 'link') as Promise<[Link]>;
    const node = await HandAgent.dial(patient, '127.0.0.2');
    await node.prove(Buffer.from(patient.environment.MPIDBG_TOKEN, 'hex'), {
      beforeProof: async () => {
        const flood = await Promise.all(Array.from({ length: 800 }, () => HandAgent.dial(patient)));
        await Promise.all(flood.slice(0, 200).map((each) => each.closed()));
      },
    });
    node.say('node host=far%20away pid=1');
    assert.equal((await arrived)[0].host, 'far away');
    assert.deepEqual([...new Set(why)], ['too many came from its address']);
    patient.close();
  });

  it('is at a port that nodes may connect to, where only some are allowed', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const at = (first: number, last: number): Promise<Hub> =>
      Hub.listen(shippedMpis, {
        door: { addresses: ['127.0.0.1'], ports: { first, last, setting: 'SrunPortRange' } },
      });
    await assert.rejects(at(port, port), {
      message: `no port from ${port} to ${port}, which SrunPortRange allows, is free`,
    });
    const found = await at(port - 1, port + 8);
    const chosen = Number(found.environment.MPIDBG_DOOR?.replace(/^127\.0\.0\.1:/, ''));
    assert.ok(chosen >= port - 1 && chosen <= port + 8 && chosen !== port, String(chosen));
    found.close();
    taken.close();
  });

  it('lets nobody in any more when all have come, and keeps those who have', async () => {
    const { node, link } = await linked();
    const stranger = await HandAgent.dial(hub);
    hub.shutDoor();
    await stranger.closed();
    await assert.rejects(HandAgent.dial(hub), { code: 'ECONNREFUSED' });
    const asked = link.ask('list', { path: '/' });
    node.say(about('a', 1, 'yes\na'));
    assert.equal((await asked).bytes.toString(), 'a');
  });

  const muchPacked = (): Buffer => deflateSync(Buffer.alloc(64 << 20));
  for (const [what, frames, why] of [
    ['does not unpack', () => [about('a', 1, 'yes packed=1\nno zlib')], /"list" does not unpack/],
    [
      'unpacks to a multiple',
      () => [about('a', 1, Buffer.concat([Buffer.from('yes packed=1\n'), muchPacked()]))],
      /longer/,
    ],
    ['has no end', () => Array.from({ length: 20 }, () => about('m', 1, Buffer.alloc(1 << 20))), /longer than/],
    ['is no message', () => [about('a', 1, 'Yes!\n')], /invalid message/],
    ['opens what is open', () => [about('o', 1), about('o', 1)], /invalid message/],
    ['goes on behind its end', () => [about('v', 1), about('e', 1), about('d', 1, 'more')], /invalid message/],
    ['is more than anybody reads', () => [about('v', 1), ...flood(1, 80)], /more than can be read/],
    [
      'is more than anybody reads, a little on each connection',
      () => Array.from({ length: 20 }, (_, each) => [about('v', each), ...flood(each, 8)]).flat(),
      /more than can be read/,
    ],
    ['comes in endless empty parts', () => Array.from({ length: 300 }, () => about('m', 1)), /too many parts/],
  ] as [string, () => Buffer[], RegExp][]) {
    it(`gives up an agent with the secret whose answer ${what}, and says so`, async () => {
      const { node, link } = await linked();
      const asked = link.ask('list', { path: '/' });
      for (const frame of frames()) node.say(frame);
      await assert.rejects(asked, why);
      assert.equal(link.isClosed, true);
    });
  }

  it('counts what each piece takes that nobody reads, however short it is', () => {
    const channel = new Channel(() => undefined);
    assert.throws(() => {
      for (let piece = 0; piece < 600_000; piece++) channel.arrived(Buffer.from('x'));
    }, /more than can be read/);
  });

  it('reads no more of an agent that it has given up and that goes on without end', async () => {
    const { node, link } = await linked();
    node.socket.allowHalfOpen = true;
    const closed = node.closed();
    node.say('a');
    const rubbish = Buffer.alloc(8 << 20);
    const goOn = (error?: Error | null): void => {
      if (error === undefined || error === null) node.socket.write(rubbish, goOn);
    };
    goOn();
    await closed;
    assert.equal(link.isClosed, true);
  });

  it('gives up an agent that answers nothing in time', async () => {
    const { link } = await linked();
    await assert.rejects(link.ask('list', { path: '/' }, { maxMs: 20 }), /has not answered "list" for 0.02 seconds/);
    assert.equal(link.isClosed, true);
  });

  it('takes as many bytes as were asked for, and not one more', async () => {
    const { node, link } = await linked();
    const asked = link.ask('memory', {}, { maxBytes: 4 });
    node.say(about('a', 1, 'yes\n1234'));
    assert.equal((await asked).bytes.toString(), '1234');
    const again = link.ask('memory', {}, { maxBytes: 4 });
    node.say(about('a', 2, Buffer.concat([Buffer.from('yes packed=1\n'), deflateSync(Buffer.from('12345'))])));
    await assert.rejects(again, /"memory" is longer than 4 bytes/);
  });

  it('tells a peer behind an agent from one of this machine', async () => {
    const { node, link } = await linked();
    const nonce = 'c'.repeat(64);
    node.say(about('o', 1));
    const said = once(node.socket, 'data') as Promise<[Buffer]>;
    node.say(about('d', 1, `mpidbg1 ${nonce}\n`));
    const [frame] = await said;
    const theirs = /[0-9a-f]{64}/.exec(frame.toString('latin1', 9))?.[0] ?? '';
    const arrived = once(hub, 'peer') as Promise<[Peer]>;
    node.say(about('d', 1, `${hmac(token, `agent ${nonce} ${theirs}`).toString('hex')}\nrank rank=3\n`));
    const [peer] = await arrived;
    assert.deepEqual([peer.link, peer.hello.fields.rank], [link, '3']);
    const closed = once(peer, 'closed');
    node.socket.destroy();
    await closed;
  });
});
