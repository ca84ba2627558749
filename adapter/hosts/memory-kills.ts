/** How often the kernel has ended processes for lack of memory: counts, before a job and after it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MemoryKills {
  /** In our control group, which is that of all that we start here; undefined: it has no count. */
  group: number | undefined;
  machine: number | undefined;
}

export async function memoryKills(): Promise<MemoryKills> {
  const [group, machine] = await Promise.all([groupCount(), countIn('/proc/vmstat')]);
  return { group, machine };
}

/** One sentence about what has come since then; undefined: nothing is known to have. */
export function memoryKillsSince(before: MemoryKills, after: MemoryKills): string | undefined {
  const more = (which: keyof MemoryKills): number => (after[which] ?? 0) - (before[which] ?? after[which] ?? 0);
  const times = (count: number): string => (count === 1 ? 'a process' : `${count} processes`);
  if (more('group') > 0)
    return `the kernel has ended ${times(more('group'))} of this job's control group for lack of memory`;
  if (more('machine') > 0)
    return `the kernel has ended ${times(more('machine'))} of this machine for lack of memory, perhaps of this job`;
  return undefined;
}

async function groupCount(): Promise<number | undefined> {
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const path = (controllers: string): string | undefined =>
    new RegExp(`^\\d+:${controllers}:(/.*)$`, 'm').exec(own)?.[1];
  const [unified, memory] = [path(''), path('(?:[^:]*,)?memory(?:,[^:]*)?')];
  const files = [
    ...(unified === undefined ? [] : [join('/sys/fs/cgroup', unified, 'memory.events')]),
    // In a container the folder itself is mounted there.
    ...(memory === undefined
      ? []
      : [join('/sys/fs/cgroup/memory', memory, 'memory.oom_control'), '/sys/fs/cgroup/memory/memory.oom_control']),
  ];
  for (const file of files) {
    const count = await countIn(file);
    if (count !== undefined) return count;
  }
  return undefined;
}

async function countIn(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return count === undefined ? undefined : Number(count);
}
