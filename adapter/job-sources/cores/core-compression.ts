/** Compressed core files, as systemd-coredump and administrators store them: unpacked into a folder of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, createReadStream, createWriteStream, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BytesSource, ElfError, FileSource, IncompleteError } from '../../elf/byte-source';
import { announcedEnd } from '../../images/core/core-file';

const tools: Readonly<Record<string, readonly [name: string, ...options: string[]]>> = {
  '.zst': ['zstd', '-dc'],
  '.lz4': ['lz4', '-dc'],
  // A file may ask for a dictionary of 4 GiB; what xz writes by itself needs 65 MiB at most.
  '.xz': ['xz', '-dc', '--memlimit-decompress=512MiB'],
};
/** The share of the folder's free space. */
const maxOfFreeSpace = 0.8;

/** What follows the last segment: section headers, of which gcore writes one for each segment. */
const behindSegments = 1 << 26;

/** The first bytes of compressed files, whatever their names are. */
const beginnings: readonly (readonly [suffix: string, bytes: string])[] = [
  ['.gz', '1f8b'],
  ['.zst', '28b52ffd'],
  // As pzstd begins: a frame that is to be skipped.
  ['.zst', '502a4d18'],
  ['.lz4', '04224d18'],
  ['.lz4', '02214c18'],
  ['.xz', 'fd377a585a00'],
];
/** Containers that the user must unpack, and how. */
const others: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^BZh\d/, 'it is compressed with bzip2: unpack it'],
  [/^PK\x03\x04/, 'it is a ZIP archive: unpack it'],
  [/^ProblemType: /, 'it is a report of apport: unpack the core file in it with apport-unpack'],
];
const maxBeginningLength = 16;

/**
 * ".zst"; undefined for a file that is not compressed. Throws ElfError for a container that must be unpacked
 * first, and Node's own error when it cannot be read.
 */
export function compressionOf(path: string): string | undefined {
  const beginning = beginningOf(path);
  const other = others.find(([begins]) => begins.test(beginning.toString('latin1')));
  if (other !== undefined) throw new ElfError(other[1]);
  return beginnings.find(([, bytes]) => beginning.toString('hex').startsWith(bytes))?.[0];
}

function beginningOf(path: string): Buffer {
  const file = new FileSource(path);
  try {
    return file.read(0, Math.min(maxBeginningLength, file.size));
  } finally {
    file.close();
  }
}

/**
 * Answers the unpacked file, in `folder`. Unpacks no more than the core's headers announce, and nothing that is not a
 * core file. Rejects with ElfError, which says what is wrong with the file.
 */
export async function unpackCore(
  path: string,
  suffix: string,
  { folder, index, signal }: { folder: string; index: number; signal?: AbortSignal | undefined },
): Promise<string> {
  const unpacked = join(folder, `${index}-${basename(path)}`);
  const { bavail, bsize } = statfsSync(folder);
  const limit = bavail * bsize * maxOfFreeSpace;
  const tool = tools[suffix];
  try {
    const input = tool === undefined ? gunzipped(path) : await unpackedBy(tool, path);
    await pipeline(input, bounded(limit, dirname(folder)), createWriteStream(unpacked, { mode: 0o600 }), { signal });
  } catch (error) {
    rmSync(unpacked, { force: true });
    if (error instanceof ElfError || codeOf(error) === 'EACCES' || codeOf(error) === 'ENOENT') throw error;
    throw new IncompleteError(`it cannot be unpacked: ${(error as Error).message}`);
  }
  return unpacked;
}

function gunzipped(path: string): Readable {
  const packed = createReadStream(path);
  const unpacked = packed.pipe(createGunzip());
  packed.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => packed.destroy());
  return unpacked;
}

async function unpackedBy([tool, ...options]: readonly [string, ...string[]], path: string): Promise<Readable> {
  // The tools' own words for a file that cannot be read differ.
  accessSync(path, constants.R_OK);
  const child = spawn(tool, [...options, path], { stdio: ['ignore', 'pipe', 'pipe'] });
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
        ([status]) => done(status === 0 ? null : new IncompleteError(`${tool} cannot unpack it: ${lastLine(said)}`)),
        done,
      );
    },
  });
  checked.on('close', () => child.kill());
  return child.stdout.pipe(checked);
}

/** `room`: bytes that may be written; `above`: the folder of our folders, which has it. */
function bounded(room: number, above: string): Transform {
  let size = 0;
  let beginning = Buffer.alloc(0);
  let end: number | undefined;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      try {
        if (end === undefined) {
          beginning = Buffer.concat([beginning, chunk]);
          end = announcedEnd(new BytesSource(beginning));
        }
        if (size > room || (end !== undefined && end < Infinity && end > room)) throw noRoom(room, end, above);
        if (end !== undefined && size > end + behindSegments)
          throw new ElfError('it unpacks to more than its header says');
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function noRoom(room: number, end: number | undefined, above: string): ElfError {
  const needed = end === undefined || end === Infinity ? 'more' : `${inGiB(end)} GiB`;
  return new ElfError(
    `it unpacks to ${needed}, and ${inGiB(room)} GiB may be used in ${above}: set TMPDIR to a larger disk`,
  );
}

function inGiB(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
