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

/** The paths of those that grow, or that a process of the host has open for writing. */
export async function stillWritten(host: Host, files: readonly SeenFile[]): Promise<ReadonlySet<string>> {
  const found = new Set(files.filter(isLonger).map(({ path }) => path));
  const others = files.filter(({ path }) => !found.has(path));
  if (others.length === 0) return found;
  const writers = await filesOpenForWriting(host);
  for (const { path } of others) if (writers.has(realPath(path))) found.add(path);
  const young = others.filter(({ path }) => !found.has(path) && isYoung(path));
  if (young.length > 0) await wait(pause);
  for (const file of young) if (isLonger(file)) found.add(file.path);
  return found;
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
