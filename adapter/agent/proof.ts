/**
 * How a connection proves that it knows a job's token, and we prove it back, before anything else is read of it:
 *
 *   it → us   mpidbg1 NONCE          64 hexadecimal digits, as are all of these
 *   us → it   NONCE PROOF            PROOF = HMAC-SHA256(token, "hub THEIRNONCE OURNONCE")
 *   it → us   PROOF                  PROOF = HMAC-SHA256(token, "agent THEIRNONCE OURNONCE")
 *
 * Both nonces are fresh, so a recorded dialogue proves nothing. The agent of another host says "mpidbg1-node", and "node-hub"
 * and "node" are in its proofs: what one kind of connection proves is nothing to the other. Keys for what follows are made
 * in the same way, so they are fresh too.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { LineReader } from './line-reader';

/** Bytes of a token. */
const tokenLength = 32;

export const newToken = (): Buffer => randomBytes(tokenLength);

/** A process of this machine, or the agent of another. */
export type Caller = 'agent' | 'node';

const sayings = {
  agent: { greeting: /^mpidbg1 ([0-9a-f]{64})$/, hub: 'hub', caller: 'agent' },
  node: { greeting: /^mpidbg1-node ([0-9a-f]{64})$/, hub: 'node-hub', caller: 'node' },
};

/** One for each direction. */
export interface SessionKeys {
  toThem: Buffer;
  toUs: Buffer;
}

/** Rejects, with the reason, when the other side does not know the token. */
export async function proveToken(
  stream: Duplex,
  lines: LineReader,
  token: Buffer,
  caller: Caller = 'agent',
): Promise<SessionKeys> {
  const { greeting, ...labels } = sayings[caller];
  const theirs = greeting.exec(await lines.next())?.[1];
  if (theirs === undefined) throw new Error('it does not speak our protocol');
  const ours = randomBytes(32).toString('hex');
  const derive = (label: string): Buffer => createHmac('sha256', token).update(`${label} ${theirs} ${ours}`).digest();
  stream.write(`${ours} ${derive(labels.hub).toString('hex')}\n`);
  const told = Buffer.from(await lines.next(), 'hex');
  const expected = derive(labels.caller);
  if (told.length !== expected.length || !timingSafeEqual(told, expected)) {
    throw new Error('it does not know the token');
  }
  return { toThem: derive(`key-of-${labels.hub}`), toUs: derive(`key-of-${labels.caller}`) };
}
