/**
 * How a connection proves that it knows a job's token, and we prove it back, before anything else is read of it:
 *
 *   it → us   mpidbg1 NONCE          64 hexadecimal digits, as are all of these
 *   us → it   NONCE PROOF            PROOF = HMAC-SHA256(token, "hub THEIRNONCE OURNONCE")
 *   it → us   PROOF                  PROOF = HMAC-SHA256(token, "agent THEIRNONCE OURNONCE")
 *
 * Both nonces are fresh, so a recorded dialogue proves nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { LineReader } from './line-reader';

/** Bytes of a token. */
const tokenLength = 32;

export const newToken = (): Buffer => randomBytes(tokenLength);

/** Rejects, with the reason, when the other side does not know the token. */
export async function proveToken(socket: Socket, lines: LineReader, token: Buffer): Promise<void> {
  const theirs = /^mpidbg1 ([0-9a-f]{64})$/.exec(await lines.next())?.[1];
  if (theirs === undefined) throw new Error('it does not speak our protocol');
  const ours = randomBytes(32).toString('hex');
  const proof = (side: 'hub' | 'agent'): Buffer =>
    createHmac('sha256', token).update(`${side} ${theirs} ${ours}`).digest();
  socket.write(`${ours} ${proof('hub').toString('hex')}\n`);
  const told = Buffer.from(await lines.next(), 'hex');
  const expected = proof('agent');
  if (told.length !== expected.length || !timingSafeEqual(told, expected)) {
    throw new Error('it does not know the token');
  }
}
