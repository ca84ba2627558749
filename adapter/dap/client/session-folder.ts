/**
 * The folder of a user's sessions on this machine: for each one a socket and a record, by which another client finds it
 * when its own is gone. In /tmp, where another user could put something in its place: that is never used.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isListenedTo } from './socket-file';

/** The message is a sentence about the folder. */
export class SessionFolderError extends Error {
  override name = 'SessionFolderError';
}

export interface SessionPlace {
  readonly id: string;
  readonly socket: string;
  readonly record: string;
}

/** What a record says: enough to recognise the session. */
export interface KeptSession {
  /** Of the configuration that it was started with. */
  readonly name: string;
  readonly request: 'launch' | 'attach';
  /** The working directory of its adapter, which is the workspace folder. */
  readonly folder: string;
  readonly ranks: number;
  /** When its client was lost, in milliseconds since 1970; null while it has one, which may not know yet that it is lost. */
  readonly since: number | null;
}

const sessionFolder = `/tmp/mpidbg-${process.geteuid?.()}`;

/** A place for one more session. Throws SessionFolderError where the folder is not the user's own. */
export function newSessionPlace(folder = sessionFolder): SessionPlace {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder))
    throw new SessionFolderError(
      `${folder} must be a folder of yours that nobody else may enter: remove it, or ask its owner`,
    );
  return placeOf(randomBytes(8).toString('hex'), folder);
}

export function placeOf(id: string, folder = sessionFolder): SessionPlace {
  return { id, socket: join(folder, `${id}.socket`), record: join(folder, `${id}.json`) };
}

/** Whoever reads it meanwhile finds the one before, or this one. */
export function writeRecord({ record }: SessionPlace, session: KeptSession): void {
  const next = `${record}.next`;
  writeFileSync(next, JSON.stringify(session), { mode: 0o600 });
  renameSync(next, record);
}

/** Those that another client may take up. What a killed adapter has left there is removed. */
export async function keptSessions(folder = sessionFolder): Promise<(KeptSession & SessionPlace)[]> {
  if (!isPrivate(folder)) return [];
  const ids = readdirSync(folder).flatMap((file) => /^([0-9a-f]{16})\.json$/.exec(file)?.[1] ?? []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const place = placeOf(id, folder);
      if (existsSync(place.socket) && (await isListenedTo(place.socket))) {
        const session = readRecord(place);
        return session === undefined ? undefined : { ...session, ...place };
      }
      for (const file of [place.socket, place.record]) rmSync(file, { force: true });
      return undefined;
    }),
  );
  return found.filter((each) => each !== undefined).sort((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity));
}

/** Ends it, whether it has a client or not. Resolves when its ranks are let go, or it is gone already. */
export function endSession({ socket }: SessionPlace): Promise<void> {
  return new Promise((resolve) => {
    const client = connect({ path: socket });
    for (const [seq, command] of ['initialize', 'disconnect'].entries()) {
      const json = JSON.stringify({
        seq: seq + 1,
        type: 'request',
        command,
        arguments: { adapterID: 'mpidbg', keptSession: true },
      });
      client.write(`Content-Length: ${json.length}\r\n\r\n${json}`);
    }
    client.resume();
    client.on('error', () => undefined);
    client.once('close', () => resolve());
  });
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
}

function readRecord({ record }: SessionPlace): KeptSession | undefined {
  try {
    const { name, request, folder, ranks, since } = JSON.parse(readFileSync(record, 'utf8')) as Record<string, unknown>;
    const areTexts = typeof name === 'string' && typeof folder === 'string';
    const areNumbers = Number.isSafeInteger(ranks) && (since === null || Number.isSafeInteger(since));
    if (!areTexts || !areNumbers || (request !== 'launch' && request !== 'attach')) return undefined;
    return { name, request, folder, ranks, since } as KeptSession;
  } catch {
    return undefined; // Removed meanwhile.
  }
}
