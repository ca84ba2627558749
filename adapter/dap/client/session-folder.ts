/**
 * The user's sessions on this machine: for each one a socket and a record, by which another client finds it when its own is
 * gone.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { privateFolder, privateFolders, type Surroundings } from '../../hosts/private-folders';
import { isListenedTo } from './socket-file';

export interface SessionPlace {
  readonly id: string;
  readonly socket: string;
  readonly record: string;
}

/** What a record says: enough to recognise the session. */
export interface KeptSession {
  /** The name of the configuration that it was started with. */
  readonly name: string;
  readonly request: 'launch' | 'attach';
  /** The working directory of its adapter, which is the workspace folder. */
  readonly folder: string;
  readonly ranks: number;
  /** When its client was lost, in milliseconds since 1970; null while it has one, which may not know yet that it is lost. */
  readonly since: number | null;
}

/** A place for one more session. @throws {Error} of node:fs, where no folder is to be had. */
export function newSessionPlace(at?: Surroundings): SessionPlace {
  return placeIn(privateFolder(at), randomBytes(8).toString('hex'));
}

function placeIn(folder: string, id: string): SessionPlace {
  return { id, socket: join(folder, `${id}.socket`), record: join(folder, `${id}.json`) };
}

/** Whoever reads it meanwhile finds the one before, or this one. */
export function writeRecord({ record }: SessionPlace, session: KeptSession): void {
  const next = `${record}.next`;
  writeFileSync(next, JSON.stringify(session), { mode: 0o600 });
  renameSync(next, record);
}

/** Those that another client may take up. What a killed adapter has left there is removed. */
export async function keptSessions(at?: Surroundings): Promise<(KeptSession & SessionPlace)[]> {
  const places = privateFolders(at).flatMap((folder) =>
    readdirSync(folder).flatMap((file) => {
      const id = /^([0-9a-f]{16})\.json$/.exec(file)?.[1];
      return id === undefined ? [] : [placeIn(folder, id)];
    }),
  );
  const found = await Promise.all(
    places.map(async (place) => {
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
