/** Core files that somebody still writes: a gcore that is under way, a copy from another machine, the kernel itself. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface SeenFile {
  path: string;
  /** As it was read, in bytes. */
  size: number;
}

/** The kernel and cp write without a pause. */
const recent = 5_000;
const pause = 300;

/** The paths of those that grow, or that a process of this machine has open for writing. */
export async function stillWritten(files: readonly SeenFile[]): Promise<ReadonlySet<string>> {
  const found = new Set(files.filter(isLonger).map(({ path }) => path));
  const others = files.filter(({ path }) => !found.has(path));
  if (others.length === 0) return found;
  const writers = filesOpenForWriting();
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

/** By all processes that the user may look at. */
function filesOpenForWriting(): Set<string> {
  const found = new Set<string>();
  for (const pid of namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const descriptor of namesIn(`/proc/${pid}/fd`)) {
      try {
        const path = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
        if (!path.startsWith('/') || path.startsWith('/dev/')) continue;
        const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'))?.[1];
        // O_WRONLY is 1, O_RDWR is 2.
        if ((parseInt(flags ?? '0', 8) & 3) !== 0) found.add(path);
      } catch {
        // It was closed meanwhile.
      }
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
