/**
 * The only door to standard output and standard error: whatever of a program, a file or a user goes to a terminal, goes with every
 * character visible, completely, or not without a word.
 */
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { visibleLines, visibleListing } from '../../plugin-api/visible-text';
import { isClosed } from './closed-stream';
import { ownStream } from './own-stream';
import { isReaderGone, whyNotWritten } from './write-failure';

/** Standard output could not be written: one sentence for the user. */
export class StandardOutputError extends Error {
  constructor(why: string) {
    super(`standard output ${why}`);
    this.name = 'StandardOutputError';
  }
}

/** Called once, with the whole output of the command: lines. Rejects with StandardOutputError if it could not all be written. */
export async function print(output: string | Iterable<string>): Promise<void> {
  for (const text of inChunks(typeof output === 'string' ? [output] : output)) if (!(await printPart(text))) return;
  try {
    closeFile(1);
  } catch (error) {
    throw notWritten(error);
  }
}

/** Lines of the output; more come later. False when the reader has gone. Rejects with StandardOutputError. */
export async function printPart(text: string): Promise<boolean> {
  if (text === '') return true;
  if (isClosed(1))
    throw new StandardOutputError(
      'is closed (or /dev/null, opened for reading and writing, which looks the same): nothing was printed',
    );
  try {
    await write(1, visibleLines(text));
    return true;
  } catch (error) {
    if (isReaderGone(error)) return false;
    throw notWritten(error);
  }
}

/**
 * Lines of mpidbg's own on standard error: one, unless it is an internal error. False where it could not be written: there is
 * nobody else to tell.
 */
export function tell(...lines: readonly string[]): Promise<boolean> {
  return announce(`mpidbg: ${lines[0] ?? ''}`, ...lines.slice(1));
}

/** As tell, for lines that are to be read as they are. */
export async function announce(...lines: readonly string[]): Promise<boolean> {
  if (isClosed(2)) return false;
  try {
    await write(2, visibleListing(lines));
    return true;
  } catch (error) {
    return isReaderGone(error);
  }
}

/** Standard input and output for a protocol, which says itself what its bytes mean. */
export function protocolStreams(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream } {
  return { input: process.stdin, output: process.stdout };
}

function notWritten(error: unknown): StandardOutputError {
  return new StandardOutputError(`cannot be written: ${whyNotWritten(error as NodeJS.ErrnoException)}`);
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

async function write(descriptor: 1 | 2, text: string): Promise<void> {
  if (isFile(descriptor)) writeToFile(descriptor, Buffer.from(text));
  else
    await writeTo(
      ownStream(descriptor, () => (descriptor === 1 ? process.stdout : process.stderr)),
      text,
    );
}

/** Not what a write may have to wait for. */
function isFile(descriptor: 1 | 2): boolean {
  const status = fstatSync(descriptor);
  return !status.isFIFO() && !status.isSocket() && !isatty(descriptor);
}

function writeTo(stream: NodeJS.WritableStream, text: string): Promise<void> {
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
