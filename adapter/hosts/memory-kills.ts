/** How often the kernel has ended processes for lack of memory: counts, before a job and after it. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What has come since a MemoryKills began to count. */
export interface KilledForMemory {
  /** In control groups of the job's processes. limit: how much memory such a group may have, in bytes; undefined: it is not limited. */
  group: number;
  limit: number | undefined;
  machine: number;
}

export class MemoryKills {
  /** By the file that has the count. */
  private readonly groups = new Map<string, number>();
  private machine: number | undefined;

  /** In our own control group, which is that of all that we start here, unless they are moved to another one. */
  static async begin(): Promise<MemoryKills> {
    const kills = new MemoryKills();
    kills.machine = await countIn('/proc/vmstat');
    await kills.addGroupOf('self');
    return kills;
  }

  /** From now on the control group of this process counts, too. */
  async addGroupOf(pid: number | 'self'): Promise<void> {
    const own = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
    for (const file of countFiles(own)) {
      const count = this.groups.has(file) ? undefined : await countIn(file);
      if (count !== undefined) this.groups.set(file, count);
      if (this.groups.has(file)) return;
    }
  }

  async result(): Promise<KilledForMemory> {
    const machine = (await countIn('/proc/vmstat')) ?? 0;
    let group = 0;
    let limit: number | undefined;
    for (const [file, before] of this.groups) {
      const more = ((await countIn(file)) ?? before) - before;
      // A group counts what happens in those below it, too.
      group = Math.max(group, more);
      if (more > 0) limit = least(limit, await limitBeside(file));
    }
    return { group, limit, machine: machine - (this.machine ?? machine) };
  }
}

/** One sentence; undefined: nothing is known to have been ended. */
export function killedForMemoryText({ group, limit, machine }: KilledForMemory): string | undefined {
  const times = (count: number): string => (count === 1 ? 'a process' : `${count} processes`);
  const most = limit === undefined ? '' : `, which may have ${Math.round(limit / 2 ** 20)} MiB,`;
  if (group > 0) return `the kernel has ended ${times(group)} of this job's control group${most} for lack of memory`;
  if (machine > 0)
    return `the kernel has ended ${times(machine)} of this machine for lack of memory, perhaps of this job`;
  return undefined;
}

/** `cgroup`: of a process, as in cgroups(7). */
function countFiles(cgroup: string): string[] {
  const path = (controllers: string): string | undefined =>
    new RegExp(`^\\d+:${controllers}:(/.*)$`, 'm').exec(cgroup)?.[1];
  const [unified, memory] = [path(''), path('(?:[^:]*,)?memory(?:,[^:]*)?')];
  return [
    ...(unified === undefined ? [] : [join('/sys/fs/cgroup', unified, 'memory.events')]),
    // In a container the folder itself is mounted there.
    ...(memory === undefined
      ? []
      : [join('/sys/fs/cgroup/memory', memory, 'memory.oom_control'), '/sys/fs/cgroup/memory/memory.oom_control']),
  ];
}

async function countIn(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** More than any machine has: the kernel's word for no limit. */
const unlimited = 2 ** 60;

async function limitBeside(file: string): Promise<number | undefined> {
  const name = file.endsWith('.events') ? 'memory.max' : 'memory.limit_in_bytes';
  const bytes = Number(await readFile(join(dirname(file), name), 'utf8').catch(() => ''));
  return bytes > 0 && bytes < unlimited ? bytes : undefined;
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
