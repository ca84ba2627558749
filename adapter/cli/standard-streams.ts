/** Writes standard output and standard error completely, or reports that it could not. */
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { visibleListing } from '../../plugin-api/visible-text';
import { StartError } from '../job/start-error';
import { isReaderGone, whyNotWritten } from './write-failure';

/** Called once, with the whole output of the command. Rejects with StartError if it could not all be written. */
export async function print(output: string | Iterable<string>): Promise<void> {
  try {
    for (const text of inChunks(typeof output === 'string' ? [output] : output)) await write(process.stdout, 1, text);
    closeFile(1);
  } catch (error) {
    if (isReaderGone(error)) return;
    throw new StartError(`standard output cannot be written: ${whyNotWritten(error as NodeJS.ErrnoException)}`);
  }
}

/** A part of the output; more comes later. False when the reader has gone. Rejects with StartError. */
export async function printPart(text: string): Promise<boolean> {
  try {
    await write(process.stdout, 1, text);
    return true;
  } catch (error) {
    if (isReaderGone(error)) return false;
    throw new StartError(`standard output cannot be written: ${whyNotWritten(error as NodeJS.ErrnoException)}`);
  }
}

/**
 * Lines on standard error: one, unless it is an internal error. False where it could not be written: there is nobody
 * else to tell.
 */
export async function tell(...lines: readonly string[]): Promise<boolean> {
  try {
    await write(process.stderr, 2, `mpidbg: ${visibleListing(lines)}`);
    return true;
  } catch (error) {
    return isReaderGone(error);
  }
}

const chunk = 1 << 20;

/** Few writes of many small pieces. */
function* inChunks(pieces: Iterable<string>): Generator<string> {
  let collected = '';
  for (const piece of pieces) {
    if (collected.length + piece.length > chunk && collected !== '') {
      yield collected;
      collected = '';
    }
    collected += piece;
  }
  yield collected;
}

async function write(stream: NodeJS.WriteStream, descriptor: 1 | 2, text: string): Promise<void> {
  if (isFile(descriptor)) writeToFile(descriptor, Buffer.from(text));
  else await writeTo(stream, text);
}

/** Not what a write may have to wait for. */
function isFile(descriptor: 1 | 2): boolean {
  const status = fstatSync(descriptor);
  return !status.isFIFO() && !status.isSocket() && !isatty(descriptor);
}

function writeTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  // The stream also emits 'error', which would end the process if nobody listened.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Node's file stream reports success even when a full disk took only a part. */
function writeToFile(descriptor: 1 | 2, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Some file systems tell only then that they are full. */
function closeFile(descriptor: 1): void {
  if (isFile(descriptor)) closeSync(descriptor);
}
