/** Compressed core files, as systemd-coredump and administrators store them: unpacked into a folder of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ElfError } from '../images/byte-source';

const tools: Readonly<Record<string, string>> = { '.zst': 'zstd', '.lz4': 'lz4', '.xz': 'xz' };
/** Of the folder's free space, so that a file that unpacks to terabytes does not fill the disk. */
const mostOfFreeSpace = 0.8;

/** ".zst"; undefined for a file that is not compressed. */
export function compressionOf(path: string): string | undefined {
  return ['.gz', ...Object.keys(tools)].find((suffix) => path.endsWith(suffix));
}

/** Answers the unpacked file, in `folder`. Rejects with ElfError, which says what is wrong with the file. */
export async function unpackCore(path: string, suffix: string, folder: string, index: number): Promise<string> {
  const unpacked = join(folder, `${index}-${basename(path, suffix)}`);
  const { bavail, bsize } = statfsSync(folder);
  const limit = bavail * bsize * mostOfFreeSpace;
  const tool = tools[suffix];
  try {
    const input = tool === undefined ? createReadStream(path).pipe(createGunzip()) : await unpackedBy(tool, path);
    await pipeline(input, bounded(limit), createWriteStream(unpacked, { mode: 0o600 }));
  } catch (error) {
    if (error instanceof ElfError) throw error;
    throw new ElfError(`it cannot be unpacked: ${(error as Error).message}`);
  }
  return unpacked;
}

async function unpackedBy(tool: string, path: string): Promise<Readable> {
  const child = spawn(tool, ['-dc', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-500)));
  const ended = once(child, 'close') as Promise<[number | null]>;
  await once(child, 'spawn').catch(() => {
    throw new ElfError(`it is compressed, and ${tool} is not installed here: install it, or unpack the file`);
  });
  const checked = new Transform({
    transform: (chunk: Buffer, _, done) => done(null, chunk),
    flush: (done) => {
      ended.then(
        ([status]) => done(status === 0 ? null : new ElfError(`${tool} cannot unpack it: ${lastLine(said)}`)),
        done,
      );
    },
  });
  checked.on('close', () => child.kill());
  return child.stdout.pipe(checked);
}

function bounded(limit: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      const isTooMuch = size > limit;
      done(
        isTooMuch ? new ElfError('there is no room to unpack it: free some, or set TMPDIR to a larger disk') : null,
        chunk,
      );
    },
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
