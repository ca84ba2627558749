/**
 * Files by their build-id from debuginfod servers, for users who have named some in DEBUGINFOD_URLS; kept where
 * elfutils' own client keeps them, so that neither asks twice.
 */
import { createWriteStream, existsSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../hosts/make-folder';
import { follow } from '../../hosts/time-limit';

export type DebuginfodFile = 'executable' | 'debuginfo';

/** No library or program of today is as long; and of the cache's free space. */
const maxFileSize = 2 ** 33;
const maxOfFreeSpace = 0.8;
/** Seconds without so many bytes, as elfutils has it, and before a server's "no such file" is asked for again. */
const usualTimeout = 90;
const minBytesPerPeriod = 100 * 1024;
const missLasts = 600;

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** Bytes that are here, of all if the server tells that. */
  onBytes?: (done: number, all: number | undefined) => void;
}

export class Debuginfod {
  private readonly failed = new Map<string, string>();

  private constructor(
    readonly servers: readonly string[],
    private readonly cache: string,
    private readonly timeout: number,
    private readonly maxSize: number,
  ) {}

  /** Undefined where the user has named no server: then nobody is asked for anything. */
  static of(env: NodeJS.ProcessEnv): Debuginfod | undefined {
    const servers = (env['DEBUGINFOD_URLS'] ?? '').split(/\s+/).filter((url) => /^https?:\/\//.test(url));
    if (servers.length === 0) return undefined;
    const positive = (name: string, usual: number): number => {
      const number = Number(env[name] ?? '');
      return number > 0 ? number : usual;
    };
    const timeout = 1000 * positive('DEBUGINFOD_TIMEOUT', usualTimeout);
    return new Debuginfod(servers, cacheOf(env), timeout, positive('DEBUGINFOD_MAXSIZE', maxFileSize));
  }

  /** Servers that could not be asked, and why; such a server is asked no more. */
  get failures(): readonly (readonly [server: string, why: string])[] {
    return [...this.failed];
  }

  /** A path; undefined: no server has it. Rejects when `signal` is aborted. Whose build-id it has is to be checked. */
  async fetch(buildId: string, what: DebuginfodFile, options: FetchOptions = {}): Promise<string | undefined> {
    const folder = join(this.cache, buildId);
    const path = join(folder, what);
    const known = knownIn(path);
    if (known !== undefined) return known === 'missing' ? undefined : path;
    let isMissing = false;
    for (const server of this.servers) {
      if (this.failed.has(server)) continue;
      options.signal?.throwIfAborted();
      try {
        makeFolder(folder);
        if (await this.download(`${server.replace(/\/+$/, '')}/buildid/${buildId}/${what}`, path, options)) return path;
        isMissing = true;
      } catch (error) {
        options.signal?.throwIfAborted();
        this.failed.set(server, reasonOf(error));
      }
    }
    if (isMissing && !existsSync(path)) {
      // A link that leads nowhere is followed by nothing that writes.
      rmSync(path, { force: true });
      writeFileSync(path, '', { mode: 0, flag: 'wx' });
    }
    return undefined;
  }

  /** False: the server does not have it. */
  private async download(url: string, path: string, { signal, onBytes }: FetchOptions): Promise<boolean> {
    const silent = new AbortController();
    const seconds = `${this.timeout / 1000} seconds`;
    let timer = setTimeout(() => silent.abort(new Error(`no answer within ${seconds}`)), this.timeout);
    const isSlow = (): void => silent.abort(new Error(`it sends less than ${minBytesPerPeriod} bytes in ${seconds}`));
    const { bavail, bsize } = statfsSync(this.cache);
    const room = Math.min(this.maxSize, bavail * bsize * maxOfFreeSpace);
    const stopFollowing = follow(signal, silent);
    const part = `${path}.${process.pid}.part`;
    rmSync(part, { force: true });
    try {
      const response = await fetch(url, { signal: silent.signal });
      if (response.status === 404) return false;
      if (!response.ok || response.body === null) throw new Error(`it answers ${response.status}`);
      const all = Number(response.headers.get('content-length') ?? '') || undefined;
      const refuse = (size: number): Error | null =>
        size > room ? new Error(`it sends ${size} bytes, and ${Math.floor(room)} may be kept`) : null;
      const tooMuch = refuse(all ?? 0);
      if (tooMuch !== null) throw tooMuch;
      let done = 0;
      let counted = 0;
      clearTimeout(timer);
      timer = setTimeout(isSlow, this.timeout);
      const bounded = new Transform({
        transform: (chunk: Buffer, _, next) => {
          done += chunk.length;
          if (done - counted >= minBytesPerPeriod) {
            counted = done;
            clearTimeout(timer);
            timer = setTimeout(isSlow, this.timeout);
          }
          onBytes?.(done, all);
          next(refuse(done), chunk);
        },
      });
      await pipeline(Readable.fromWeb(response.body), bounded, createWriteStream(part, { mode: 0o600, flags: 'wx' }));
      renameSync(part, path);
      return true;
    } finally {
      stopFollowing();
      clearTimeout(timer);
      rmSync(part, { force: true });
    }
  }
}

/** 'missing': a server has said so not long ago, in our words or elfutils': an empty file. */
function knownIn(path: string): 'here' | 'missing' | undefined {
  try {
    const { size, mtimeMs } = statSync(path);
    if (size > 0) return 'here';
    if (Date.now() - mtimeMs < missLasts * 1000) return 'missing';
    rmSync(path);
    return undefined;
  } catch {
    return undefined;
  }
}

/** As debuginfod_find_debuginfo(3) says. */
function cacheOf(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? homedir();
  const old = join(home, '.debuginfod_client_cache');
  const own = env['DEBUGINFOD_CACHE_PATH'];
  if (own !== undefined && own !== '') return own;
  if (existsSync(old)) return old;
  const caches = env['XDG_CACHE_HOME'];
  return join(caches !== undefined && caches !== '' ? caches : join(home, '.cache'), 'debuginfod_client');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  // None of several addresses answered.
  if (cause instanceof AggregateError) return String((cause.errors[0] as Error | undefined)?.message ?? error.message);
  return error.message;
}
