/**
 * Folders of the user's own on this machine, in which sessions are found again. Preferably where only the user can make
 * one; in the shared /tmp under a name that nobody can foresee, and so nobody can take first.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { localHost } from './local-host';
import { makeFolder } from './make-folder';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder that all users share. */
  readonly shared: string;
}

/** Bytes: the size of a path in sockaddr_un, without the terminating zero. */
export const maxSocketPath = 107;
/** Bytes: of the names of ours in these folders, which are sockets, too. */
const maxName = 32;
/** Bytes: what we write there is shorter. */
const probeLength = 4096;

const surroundings: Surroundings = { env: process.env, shared: '/tmp' };
const user = process.geteuid?.();

/** The best first; not all exist. A home may be one of several machines, whose sockets are not each other's. */
function preferred({ env }: Surroundings): string[] {
  const caches = env.XDG_CACHE_HOME ?? (env.HOME && join(env.HOME, '.cache'));
  const all = [
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'mpidbg')] : []),
    ...(caches ? [join(caches, 'mpidbg', `sessions-${localHost.name}`)] : []),
  ];
  // Relative to which folder, nobody knows the next time.
  return all.filter((folder) => isAbsolute(folder) && Buffer.byteLength(folder) + maxName < maxSocketPath);
}

function inShared({ shared }: Surroundings): string[] {
  const begins = `mpidbg-${user}-`;
  try {
    return readdirSync(shared).flatMap((name) => (name.startsWith(begins) ? [join(shared, name)] : []));
  } catch {
    return [];
  }
}

/** Those that exist and are the user's alone. */
export function privateFolders(at: Surroundings = surroundings): string[] {
  return [...preferred(at), ...inShared(at)].filter(isPrivate);
}

/** One that is the user's alone: the best that can be had. @throws {Error} of node:fs, if there is none. */
export function privateFolder(at: Surroundings = surroundings): string {
  return (
    preferred(at).find((folder) => isMade(folder) && isPrivate(folder) && isWritable(folder)) ??
    inShared(at).find((folder) => isPrivate(folder) && isWritable(folder)) ??
    mkdtempSync(join(at.shared, `mpidbg-${user}-`))
  );
}

function isMade(folder: string): boolean {
  try {
    makeFolder(folder);
    return true;
  } catch {
    return false; // A file has its name, or it cannot be written.
  }
}

/** There is room for what we write, within the user's quota. */
function isWritable(folder: string): boolean {
  const probe = join(folder, `probe-${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(probe, Buffer.alloc(probeLength), { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * The first folder above this one in which others can rename what they do not own: not so in a sticky one, such as /tmp.
 * @throws {Error} of node:fs
 */
export function replaceableIn(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  const { mode } = statSync(above);
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0 ? above : replaceableIn(above);
}

/** Whoever owns the folder above could exchange it: XDG_RUNTIME_DIR may still be that of the user before `su`. */
function isPrivate(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    const { uid } = lstatSync(dirname(folder));
    const isOwn = found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0;
    return isOwn && (uid === user || uid === 0) && replaceableIn(realpathSync(folder)) === undefined;
  } catch {
    return false; // It is not there, or not to be seen.
  }
}
