/** CPU and memory of processes, as /proc counts them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Cost {
  /** Seconds of CPU so far, user and system. */
  cpu: number;
  /** MiB, memory that is shared counted in proportion (PSS). */
  memory: number;
}

interface ProcessEntry {
  pid: number;
  parent: number;
  name: string;
  commandLine: string;
}

const pageSize = 4096; // of x86-64
const ticksPerSecond = 100; // sysconf(_SC_CLK_TCK) of every Linux

/** The sum over those of root and its descendants that `counts` takes. */
export function costBelow(root: number, counts: (process: ProcessEntry) => boolean): Cost {
  const total: Cost = { cpu: 0, memory: 0 };
  for (const entry of treeOf(root)) {
    if (!counts(entry)) continue;
    const cost = costOf(entry.pid);
    total.cpu += cost.cpu;
    total.memory += cost.memory;
  }
  return total;
}

/** MiB that each of those of root and its descendants has in memory that `counts` takes. */
export function residentBelow(root: number, counts: (process: ProcessEntry) => boolean): number[] {
  return treeOf(root)
    .filter(counts)
    .flatMap(({ pid }) => residentOf(pid));
}

function treeOf(root: number): ProcessEntry[] {
  const entries = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => entryOf(Number(pid)));
  const tree = entries.filter((entry) => entry.pid === root);
  for (const parent of tree) tree.push(...entries.filter((entry) => entry.parent === parent.pid));
  return tree;
}

function entryOf(pid: number): ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [{ pid, parent: Number(fieldsOf(stat)[1]), name, commandLine }];
  } catch {
    return []; // it has ended
  }
}

function residentOf(pid: number): number[] {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return [(pages * pageSize) / 2 ** 20];
  } catch {
    return []; // it has ended
  }
}

/** The fields behind the name: [0] is the state. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function costOf(pid: number): Cost {
  const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  const kibibytes = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  return { cpu: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond, memory: kibibytes / 1024 };
}
