/**
 * Folders of the user's own on this machine, in which sessions are found again. Preferably where only the user can make
 * one; in the shared /tmp under a name that nobody can foresee, and so nobody can take first.
 */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localHost } from './local-host';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder that all users share. */
  readonly shared: string;
}

const surroundings: Surroundings = { env: process.env, shared: '/tmp' };
const user = process.geteuid?.();

/** The best first; not all exist. A home may be one of several machines, whose sockets are not each other's. */
function preferred({ env }: Surroundings): string[] {
  const caches = env.XDG_CACHE_HOME ?? (env.HOME && join(env.HOME, '.cache'));
  return [
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'mpidbg')] : []),
    ...(caches ? [join(caches, 'mpidbg', `sessions-${localHost.name}`)] : []),
  ];
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
    preferred(at).find((folder) => isMade(folder) && isPrivate(folder)) ??
    inShared(at).find(isPrivate) ??
    mkdtempSync(join(at.shared, `mpidbg-${user}-`))
  );
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false; // A file has its name, or it cannot be written.
  }
}

/** Whoever owns the folder above could exchange it: XDG_RUNTIME_DIR may still be that of the user before `su`. */
function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const above = lstatSync(dirname(folder), { throwIfNoEntry: false });
  const isOwn = found?.isDirectory() === true && found.uid === user && (found.mode & 0o077) === 0;
  return isOwn && (above?.uid === user || above?.uid === 0);
}
