/** An agent with the secret that answers whatever it likes: each question is settled with words for a user, and nothing is thrown beside it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { deflateSync } from 'node:zlib';
import { AgentHost } from '../../adapter/agent/agent-host';
import { HostLostError } from '../../adapter/agent/host-lost-error';
import { Hub } from '../../adapter/agent/hub';
import type { Link } from '../../adapter/agent/link';
import { ElfError } from '../../adapter/elf/byte-source';
import { ShortageError } from '../../adapter/elf/shortage-error';
import { UnusableGdbError } from '../../adapter/gdb/unusable-gdb';
import { HostProcess } from '../../adapter/hosts/host-process';
import { QueryError } from '../../plugin-api/result';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { about, HandAgent } from '../support/hand-agent';
import { randomNumbers } from '../support/random-numbers';

/** MPIDBG_FUZZ_SEEDS: more of them, for a long run. */
const seeds = Number(process.env.MPIDBG_FUZZ_SEEDS ?? 12);
const questionsPerLink = 40;

const names = ['file', 'inode', 'size', 'modified', 'changed', 'identity', 'name', 'build', 'pages', 'wait', 'said'];
const values = [
  ...['', '0', '1', '-1', '4096', '1e400', 'NaN', '0x10', '18446744073709551616', '%00', '../../etc/passwd', 'rugr'],
  ...['r'.repeat(600), '9'.repeat(3000), 'ENOENT', 'EPERM', 'EMFILE', 'ERR_ASSERTION', '__proto__', '%C2%9B31m'],
];
const files = [
  ...['', '\0', '\xff\xfe', '1 (x', '1 (x) R', `1 (a) b) S ${'0 '.repeat(60)}`, `1 (x) S ${'-1 '.repeat(60)}`],
  ...['7f00-0 r-xp 0 0:0 1 /x\n', 'ffffffffffffffffff-0 rwxp zz', 'Name:\t\nState:\nPid:\tx\nNSpid:\t\nTracerPid:\t'],
  ...['A=B\0\0=\0C', 'S:1:2,R:x:y', ',,,', `${'9'.repeat(400)}\n`, '12\0-1\0self\0'.repeat(20)],
];

describe('an agent of another host', () => {
  let hub: Hub;
  beforeEach(async () => (hub = await Hub.listen(shippedMpis, { door: { addresses: ['127.0.0.1'] } })));
  afterEach(() => hub.close());

  async function linked(): Promise<{ agent: HandAgent; host: AgentHost }> {
    const agent = await HandAgent.dial(hub);
    await agent.prove(Buffer.from(hub.environment.MPIDBG_TOKEN, 'hex'));
    const arrived = once(hub, 'link') as Promise<[Link]>;
    agent.say('node host=far pid=1');
    const [link] = await arrived;
    return { agent, host: new AgentHost(hub, link) };
  }

  it('may answer anything', async () => {
    const unheard: unknown[] = [];
    const note = (error: unknown): number => unheard.push(error);
    process.on('unhandledRejection', note);
    try {
      for (let seed = 1; seed <= seeds; seed++) {
        const random = randomNumbers(seed * 104_729);
        const { agent, host } = await linked();
        agent.onAsked = (number) => answers(random, number).forEach((frame) => agent.say(frame));
        const asked = Array.from({ length: questionsPerLink }, () => settled(question(random, host)));
        // What nobody answers ends with the link.
        const isDone = Promise.all(asked);
        agent.onAsked(1, '');
        await Promise.race([isDone, allHeard(agent)]);
        agent.socket.destroy();
        for (const { error } of await isDone) assert.ok(isForUser(error), `seed ${seed}: ${String(error)}`);
      }
    } finally {
      process.off('unhandledRejection', note);
    }
    assert.deepEqual(unheard, []);
  });
});

/** Resolves when the agent has been asked nothing more, and its link has taken what it said. */
async function allHeard(agent: HandAgent): Promise<void> {
  let before = -1n;
  while (before !== agent.said && !agent.socket.destroyed) {
    before = agent.said;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

type Random = (limit: number) => number;

function answers(random: Random, number: number): Buffer[] {
  const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)]!;
  const body = pick([
    () => Buffer.from(pick(files), 'latin1'),
    () => Buffer.alloc(random(9000), random(256)),
    () => Buffer.alloc(0),
  ])();
  const isPacked = random(4) === 0;
  const fields = Array.from({ length: random(10) }, () => `${pick(names)}=${pick(values)}`);
  const code = random(4) === 0 ? [`code=${pick(values)}`, `reason=${pick(values)}`] : [];
  const words = [code.length > 0 ? 'no' : pick(['yes', 'yes', 'yes', 'perhaps']), ...fields, ...code];
  const line = [...words, ...(isPacked ? ['packed=1'] : [])].join(' ');
  const whole = Buffer.concat([Buffer.from(`${line}\n`), isPacked && random(20) > 0 ? deflateSync(body) : body]);
  const right = about('a', number, whole);
  return pick([
    () => [right],
    () => [right],
    () => [right],
    () => [about('m', number, Buffer.alloc(random(100))), right],
    () => [right, right],
    () => [about('a', random(1 << 16), whole), right],
    () => [about('d', random(9), body), about('c', random(9)), right],
    () => [about('o', random(1 << 30)), about('v', random(1 << 30)), right],
    () => [about(pick(['x', '\0', 'q', 'l']), number, body), right],
    () => (random(5) === 0 ? [Buffer.from(pick(['', 'a', 'a\0\0\0']))] : [right]),
  ])();
}

function question(random: Random, host: AgentHost): Promise<unknown> {
  const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)]!;
  const process = new HostProcess(host, 4711);
  const memory = host.openMemory(4711);
  return pick<() => Promise<unknown>>([
    () => host.readFile('/x'),
    () => host.readLink('/x'),
    () => host.list('/x'),
    () => host.lives([1, 2, 3]),
    () => host.signal(4711, 'SIGCONT'),
    () => host.openFile('/x').then((file) => file.read(random(100), random(5000))),
    () => memory.read(BigInt(random(1 << 30)), random(20_000)),
    () => memory.read(0x7fff_ffff_ffff_f000n, 8192),
    () => process.maps(),
    () => process.status(),
    () => process.children(),
    () => process.reachable(),
    () => process.processorTime(),
    () => process.life(),
    () => process.startedAt(),
    () => process.environment(),
    () => process.arguments(),
    () => process.pidInside(),
    () => process.fileView(),
    () => process.openProgram(),
    () => host.startGdb('gdb').then((gdb) => gdb.end()),
    () => host.keepLibrary('libx.so', Buffer.alloc(random(600_000))),
    () => host.listen(() => undefined),
  ])();
}

async function settled(question: Promise<unknown>): Promise<{ error: unknown }> {
  try {
    await question;
    return { error: undefined };
  } catch (error) {
    return { error };
  }
}

/** undefined: there was an answer. */
function isForUser(error: unknown): boolean {
  const known = [HostLostError, ElfError, QueryError, ShortageError, UnusableGdbError];
  if (error instanceof Error && !/\S/.test(error.message)) return false;
  if (error instanceof Error && error.message.includes('[object')) return false;
  if (error === undefined || known.some((kind) => error instanceof kind)) return true;
  const isOfThisKind = error instanceof Error && error.constructor === Error;
  return (isOfThisKind && 'code' in error) || (error instanceof Error && error.name === 'AgentError');
}
