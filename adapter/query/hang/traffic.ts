/** Whether messages went through the memory that a process shares with others: the queues there count each of them. */
import { createHash } from 'node:crypto';
import { unlessShort } from '../../elf/shortage-error';
import type { HostProcess } from '../../hosts/host-process';

/** The queues of one process take some pages; beyond them lie the messages. */
const maxBytes = 1 << 16;

/** What our own collector writes to, from time to time. */
const ofCollector = /^\/memfd:mpidbg-collector\b/;

export class SharedTraffic {
  /** By the file that is shared: all processes of a host see the same. */
  private readonly seen = new Map<string, Promise<string>>();

  /** Changes with each message to or from the process; undefined: it shares no memory. */
  async of(process: HostProcess): Promise<string | undefined> {
    const maps = await process.maps();
    const shared = maps.filter(
      ({ shared, writable, file, path }) => shared && writable && file !== undefined && !ofCollector.test(path),
    );
    if (shared.length === 0) return undefined;
    const memory = process.openMemory();
    try {
      const read = shared.map(({ file, offset, start, end }) => {
        const key = `${process.host.name} ${file} ${offset}`;
        const length = Number(end - start);
        let found = this.seen.get(key);
        if (found === undefined) {
          found = memory.read(start, Math.min(length, maxBytes)).then(digest, unlessShort('unreadable'));
          this.seen.set(key, found);
        }
        return found;
      });
      return digest(Buffer.from((await Promise.all(read)).join()));
    } finally {
      memory.close();
    }
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('base64');
}
