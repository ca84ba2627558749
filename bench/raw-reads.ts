/** What the same bytes cost without any decoder: over gdb's machine interface, and through /proc/PID/mem. */
import { closeSync, openSync, readSync } from 'node:fs';
import { select, type GdbThread } from '../adapter/gdb/mi/context';
import type { ReadRange } from '../adapter/images/counting-image';

/** The bytes of each range; one after the other, as a decoder must, which knows the next address from the last bytes. */
export async function readOverMi(thread: GdbThread, ranges: readonly ReadRange[]): Promise<Buffer[]> {
  const read: Buffer[] = [];
  for (const { address, length } of ranges) {
    const where = `${select(thread)} 0x${address.toString(16)} ${length}`;
    const { memory } = await thread.gdb.command(`-data-read-memory-bytes ${where}`);
    const [block] = memory as { contents: string }[];
    read.push(Buffer.from(block!.contents, 'hex'));
  }
  return read;
}

export function readFromProc(pid: number, ranges: readonly ReadRange[]): Buffer[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return ranges.map(({ address, length }) => {
      const bytes = Buffer.alloc(length);
      if (length > 0) readSync(memory, bytes, 0, length, address);
      return bytes;
    });
  } finally {
    closeSync(memory);
  }
}

/** Each range once: a debugger that remembers what it has read. */
export function distinct(ranges: readonly ReadRange[]): ReadRange[] {
  const all = ranges.filter(({ length }) => length > 0);
  return [...new Map(all.map((range) => [`${range.address} ${range.length}`, range])).values()];
}
