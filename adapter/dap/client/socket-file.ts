/**
 * The file of a socket that only its user can connect to: the kernel lets only those connect who may write to the file,
 * and if only the user can write to its folder, nobody else can replace it.
 */
import { lstatSync, realpathSync, statSync, unlinkSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { maxSocketPath, replaceableIn } from '../../hosts/private-folders';

/** The message is a sentence about the path. */
class SocketFileError extends Error {
  override name = 'SocketFileError';
}

/** The path to listen at, which is free: a socket left by a killed adapter is removed. Throws SocketFileError. */
export async function freeSocketFile(path: string): Promise<string> {
  const named = resolve(path);
  const file = join(privateFolder(dirname(named)), basename(named));
  if (Buffer.byteLength(file) > maxSocketPath)
    throw new SocketFileError(`${file} is too long for a socket: at most ${maxSocketPath} bytes`);
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return file;
  if (!there.isSocket()) throw new SocketFileError(`${file} exists and is not a socket: choose another path`);
  if (await isListenedTo(file)) throw new SocketFileError(`another program listens at ${file}: choose another path`);
  unlinkSync(file);
  return file;
}

/** Removes the file at the end of the process, unless another one has taken its place. */
export function removeAtExit(file: string): void {
  const { dev, ino } = lstatSync(file);
  process.once('exit', () => {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there?.dev === dev && there.ino === ino) unlinkSync(file);
  });
}

/** With symbolic links resolved, so that it stays the folder that was checked. */
function privateFolder(named: string): string {
  let folder: string;
  let found: Stats;
  let above: string | undefined;
  try {
    folder = realpathSync(named);
    found = statSync(folder);
    above = replaceableIn(folder);
  } catch (error) {
    throw new SocketFileError(`the folder ${named} cannot be used: ${(error as Error).message}`);
  }
  const isPrivate = found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
  if (!isPrivate)
    throw new SocketFileError(`${folder} must be your folder, writable by nobody else: make one with mkdir -m 700`);
  if (above !== undefined)
    throw new SocketFileError(
      `others could replace ${folder}, since they can write to ${above}: choose a path elsewhere`,
    );
  return folder;
}

export function isListenedTo(file: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ path: file });
    const settle = (answer: boolean): void => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', () => settle(true));
    // Any other error means that somebody has the socket open.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(code !== 'ECONNREFUSED'));
  });
}
