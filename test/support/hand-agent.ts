/** An agent of another host that speaks by hand (adapter/agent/link.ts). */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Hub } from '../../adapter/agent/hub';
import { LineReader } from '../../adapter/agent/line-reader';

export const hmac = (key: Buffer, ...parts: (string | Buffer)[]): Buffer => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
};

interface ProofOptions {
  kind?: string;
  labels?: { hub: string; mine: string };
  /** Runs when the hub has proved itself. */
  beforeProof?: () => Promise<void>;
}

export class HandAgent {
  /** Called with each question of the debugger. */
  onAsked: (number: number, question: string) => void = () => undefined;
  private received = Buffer.alloc(0);
  private key: Buffer = Buffer.alloc(0);
  private sent = 0n;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
  }

  /** `localAddress`: where it comes from. */
  static async dial(hub: Hub, localAddress?: string): Promise<HandAgent> {
    const [host, port] = (hub.environment.MPIDBG_DOOR ?? '').split(':');
    const socket = connect({ port: Number(port), host, noDelay: true, localAddress });
    await once(socket, 'connect');
    return new HandAgent(socket);
  }

  async prove(
    token: Buffer,
    {
      kind = '-node',
      labels = { hub: 'node-hub', mine: 'node' },
      beforeProof = async () => undefined,
    }: ProofOptions = {},
  ): Promise<void> {
    const lines = new LineReader(this.socket, 1000);
    const nonce = randomBytes(32).toString('hex');
    this.socket.write(`mpidbg1${kind} ${nonce}\n`);
    const [theirs = '', proof] = (await lines.next()).split(' ');
    assert.equal(proof, hmac(token, `${labels.hub} ${nonce} ${theirs}`).toString('hex'));
    await beforeProof();
    this.socket.write(`${hmac(token, `${labels.mine} ${nonce} ${theirs}`).toString('hex')}\n`);
    this.key = hmac(token, `key-of-node ${nonce} ${theirs}`);
    lines.release();
    this.socket.on('data', (chunk: Buffer) => this.hear(chunk));
    this.socket.resume();
  }

  private hear(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    while (this.received.length >= 4) {
      const end = 4 + this.received.readUInt32BE(0) + 16;
      if (this.received.length < end) return;
      const content = this.received.subarray(4, end - 16);
      this.received = this.received.subarray(end);
      if (content[0] === 'q'.charCodeAt(0)) this.onAsked(content.readUInt32BE(1), content.toString('latin1', 5));
    }
  }

  frame(content: Buffer | string): Buffer {
    const bytes = Buffer.from(content);
    const [length, counter] = [Buffer.alloc(4), Buffer.alloc(8)];
    length.writeUInt32BE(bytes.length);
    counter.writeBigUInt64BE(this.sent++);
    return Buffer.concat([length, bytes, hmac(this.key, counter, bytes).subarray(0, 16)]);
  }

  say(content: Buffer | string): void {
    this.socket.write(this.frame(content));
  }

  /** Frames. */
  get said(): bigint {
    return this.sent;
  }

  async closed(): Promise<void> {
    this.socket.resume();
    if (!this.socket.closed) await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
  }
}

/** "o" CHANNEL, and so on. */
export function about(what: string, number: number, rest: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(5, what);
  head.writeUInt32BE(number, 1);
  return Buffer.concat([head, Buffer.from(rest)]);
}
