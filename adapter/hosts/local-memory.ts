/** The memory of a process of this machine through /proc/PID/mem, without a debugger. */
import { closeSync, openSync, read, readdirSync, readFileSync, readSync } from 'node:fs';
import { FaultError } from '../../plugin-api/result';
import type { ProcessMemory } from './host';
import { checkMemoryRange } from './memory-range';
import { explainProcessError } from './process-access-error';

/** A read of a page takes 3 µs, and 20 times that when it is waited for; longer ones must not block everything else. */
const maxAtOnce = 1 << 18;

export class LocalMemory implements ProcessMemory {
  private file: MemoryFile | undefined;

  constructor(private readonly pid: number) {}

  async read(address: bigint, length: number): Promise<Uint8Array> {
    checkMemoryRange(address, length);
    const file = this.open();
    file.take();
    try {
      // Rejects a garbage length before it is allocated.
      const last = address + BigInt(length - 1);
      if (length > maxAtOnce) await this.fill(file, new Uint8Array(1), last, address, length);
      const bytes = new Uint8Array(length);
      await this.fill(file, bytes, address, address, length);
      return bytes;
    } finally {
      file.leave();
    }
  }

  private async fill(
    file: MemoryFile,
    bytes: Uint8Array,
    from: bigint,
    address: bigint,
    length: number,
  ): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const count = await this.readSome(file, bytes, done, from + BigInt(done));
      if (count === undefined) throw new FaultError(address, length);
      if (count === 0) throw new FaultError(address, length, 'the process has exited, or executed another program');
      done += count;
    }
  }

  /** undefined: nothing can be read there. */
  private async readSome(
    file: MemoryFile,
    bytes: Uint8Array,
    offset: number,
    position: bigint,
  ): Promise<number | undefined> {
    try {
      return await file.read(bytes, offset, position);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EIO' || code === 'EFAULT') return undefined;
      throw explainProcessError(this.pid, error);
    }
  }

  private open(): MemoryFile {
    try {
      return (this.file ??= new MemoryFile(`/proc/${threadWithMemory(this.pid)}/mem`));
    } catch (error) {
      throw explainProcessError(this.pid, error);
    }
  }

  /** After an exec the old descriptor still means the program before it. */
  close(): void {
    this.file?.leave();
    this.file = undefined;
  }
}

/** The kernel shows no memory through a first thread that has ended while others go on. */
function threadWithMemory(pid: number): number {
  if (!hasEnded(pid)) return pid;
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return threads.sort((a, b) => b - a).find((thread) => !hasEnded(thread)) ?? pid;
}

function hasEnded(thread: number): boolean {
  const stat = readFileSync(`/proc/${thread}/stat`, 'latin1');
  return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** A descriptor that is closed once nobody uses it: its number may be reused for another file. */
class MemoryFile {
  private readonly descriptor: number;
  private users = 1;

  constructor(path: string) {
    this.descriptor = openSync(path, 'r');
  }

  async read(bytes: Uint8Array, offset: number, position: bigint): Promise<number> {
    const length = bytes.length - offset;
    if (length <= maxAtOnce) return readSync(this.descriptor, bytes, offset, length, position);
    return new Promise((resolve, reject) => {
      read(this.descriptor, bytes, offset, length, position, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }

  take(): void {
    this.users++;
  }

  leave(): void {
    if (--this.users === 0) closeSync(this.descriptor);
  }
}
