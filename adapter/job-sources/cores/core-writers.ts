/**
 * Core files that are still being written: a gcore that is under way, a copy from another machine, the kernel itself.
 */
import { realpathSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../../hosts/host';
import { filesOpenForWriting } from '../../hosts/open-files';

export interface SeenFile {
  path: string;
  /** As it was read, in bytes. */
  size: number;
}

/** The kernel and cp write without a pause. */
const recent = 5_000;
const pause = 300;

export interface Unfinished {
  /** Paths of files that grow, or that a process of the host has open for writing. */
  written: ReadonlySet<string>;
  /** Others that changed a moment ago: on a busy machine the writer may only be waiting. */
  recent: ReadonlySet<string>;
}

export async function unfinishedAmong(host: Host, files: readonly SeenFile[]): Promise<Unfinished> {
  const written = new Set(files.filter(isLonger).map(({ path }) => path));
  const others = files.filter(({ path }) => !written.has(path));
  if (others.length === 0) return { written, recent: new Set() };
  const writers = await filesOpenForWriting(host);
  for (const { path } of others) if (writers.has(realPath(path))) written.add(path);
  const young = others.filter(({ path }) => !written.has(path) && isYoung(path));
  if (young.length > 0) await wait(pause);
  for (const file of young) if (isLonger(file)) written.add(file.path);
  return { written, recent: new Set(young.flatMap(({ path }) => (written.has(path) ? [] : [path]))) };
}

/** What to do about a file of which bytes are missing. `path`: as it was given to unfinishedAmong. */
export function whatToDo(path: string, { written, recent }: Unfinished): string {
  const again = 'open it again when it is complete';
  if (written.has(path)) return again;
  if (recent.has(path)) return `it changed a moment ago: if it is still being written, ${again}`;
  return 'if it is a copy, copy it again, else look at ulimit -c and the room on its disk';
}

function isLonger({ path, size }: SeenFile): boolean {
  return (statOf(path)?.size ?? 0) > size;
}

function isYoung(path: string): boolean {
  return Date.now() - (statOf(path)?.mtimeMs ?? 0) < recent;
}

function statOf(path: string): { size: number; mtimeMs: number } | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
