/** Standard output and standard error: what is said there is written whole, or known not to be. */
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { visibleListing } from '../../plugin-api/visible-text';
import { StartError } from '../job/start-error';
import { isReaderGone, whyNotWritten } from './write-failure';

/** Once, with all that the command says. Rejects with StartError where not all of it could be written. */
export async function print(text: string): Promise<void> {
  try {
    await write(process.stdout, 1, text);
  } catch (error) {
    if (isReaderGone(error)) return;
    throw new StartError(`standard output cannot be written: ${whyNotWritten(error as NodeJS.ErrnoException)}`);
  }
}

/** Lines on standard error: one, unless it is a mistake of ours. False where it could not be written: there is nobody else to tell. */
export async function tell(...lines: readonly string[]): Promise<boolean> {
  try {
    await write(process.stderr, 2, `mpidbg: ${visibleListing(lines)}`);
    return true;
  } catch (error) {
    return isReaderGone(error);
  }
}

async function write(stream: NodeJS.WriteStream, descriptor: 1 | 2, text: string): Promise<void> {
  const status = fstatSync(descriptor);
  const mayHaveToWait = status.isFIFO() || status.isSocket() || isatty(descriptor);
  if (mayHaveToWait) await writeTo(stream, text);
  else writeToFile(descriptor, Buffer.from(text));
}

function writeTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  // It tells of the failure besides, and ends the process where nobody listens.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Node's stream for files takes it for success when a disk that becomes full takes a part only. */
function writeToFile(descriptor: 1 | 2, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
  // Where the file is elsewhere, only this tells that it is not there.
  if (descriptor === 1) closeSync(descriptor);
}
