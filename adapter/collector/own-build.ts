/**
 * The collector for a machine where the shipped one does not load: built by the system's compiler in a folder that only the user can
 * write to, and used again as long as it is what was built.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../hosts/make-folder';
import { StartError } from '../job/start-error';

/** A library, the folder of its source beside the bundle, and files from elsewhere; as scripts/build-collector.mjs builds it. */
export interface Buildable {
  name: string;
  sources: string;
  optimized: string;
  /** Relative to `sources`. */
  shared: readonly string[];
}

const flags = [
  '-std=gnu11',
  '-fPIC',
  '-shared',
  '-fvisibility=hidden',
  '-pthread',
  '-Wl,-z,now',
  '-Wl,--version-script=../names.map',
];

/** Whether the loader of this machine takes it. */
export function loads(library: string): boolean {
  const { stderr, status } = spawnSync('/bin/true', { env: { LD_PRELOAD: library, LC_ALL: 'C' }, encoding: 'utf8' });
  return status === 0 && !stderr.includes('cannot be preloaded');
}

/** The path of the library; built unless it is there. Throws StartError. */
export function buildForThisMachine(library: Buildable): string {
  const folder = ownFolder();
  const path = join(folder, `${hashOfSources(library)}-${library.name}`);
  if (!isAsBuilt(path)) compile(library, path);
  return path;
}

/** Throws StartError where another user could have put something into it. */
function ownFolder(): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'mpidbg', 'collector');
  try {
    makeFolder(folder);
    const { uid, mode } = lstatSync(folder);
    if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.() || (mode & 0o077) !== 0)
      throw new StartError(`${folder} must be a folder only you can use: run chmod 700, or remove it`);
    return folder;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`the collector cannot be built in ${folder}: ${(error as Error).message}`);
  }
}

function hashOfSources({ sources, optimized, shared }: Buildable): string {
  const hash = createHash('sha256').update(`${process.arch} ${flags.join()} ${optimized}`);
  for (const file of [...readdirSync(sources).toSorted(), ...shared])
    hash.update(file).update(readFileSync(join(sources, file)));
  return hash.digest('hex').slice(0, 16);
}

/** A file of the user's own, with the content that was noted when it was built. */
function isAsBuilt(path: string): boolean {
  try {
    const { uid, mode } = lstatSync(path);
    const isOwn = lstatSync(path).isFile() && uid === process.getuid?.() && (mode & 0o022) === 0;
    return isOwn && readFileSync(`${path}.sha256`, 'utf8') === contentHash(path);
  } catch {
    return false;
  }
}

function contentHash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function compile({ sources, optimized, shared }: Buildable, path: string): void {
  const unfinished = `${path}.${process.pid}`;
  const files = readdirSync(sources).filter((file) => file.endsWith('.c'));
  const args = [...flags, optimized, '-o', unfinished, ...files, ...shared, '-ldl'];
  const { status, stderr, error } = spawnSync(process.env.CC ?? 'cc', args, { cwd: sources, encoding: 'utf8' });
  if (error !== undefined || status !== 0) {
    rmSync(unfinished, { force: true });
    const [why] = (error?.message ?? stderr).trim().split('\n');
    throw new StartError(
      `the collector that comes with mpidbg does not load here, and cannot be built: ${why} (it needs a C compiler)`,
    );
  }
  chmodSync(unfinished, 0o700);
  writeFileSync(`${path}.sha256`, contentHash(unfinished), { mode: 0o600 });
  renameSync(unfinished, path);
}
