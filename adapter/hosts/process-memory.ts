/** The memory of a live process through /proc/PID/mem: 3 µs for a read, and no debugger in between. */
import { closeSync, openSync, readSync } from 'node:fs';
import { FaultError } from '../../plugin-api/result';
import { explainProcessError } from './process-access-error';

/** A longer length is a garbage count that somebody read from a broken struct. */
const LONGEST_READ = 1 << 30;
const LONG_READ = 1 << 20;
/** Behind it lies the kernel. */
const USER_SPACE_END = 1n << 63n;

/**
 * Reads what the process' memory holds, so while a gdb in non-stop mode has breakpoints in it, code shows them
 * (0xCC on x86-64): for data only.
 */
export class ProcessMemory {
  readonly #pid: number;
  #descriptor: number | undefined;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Throws FaultError for unreadable bytes and ProcessAccessError when nothing can be read at all. */
  read(address: bigint, length: number): Uint8Array {
    if (!Number.isSafeInteger(length) || length < 0 || length > LONGEST_READ) {
      throw new FaultError(address, length, 'no such length');
    }
    if (address < 0n || address + BigInt(length) > USER_SPACE_END) throw new FaultError(address, length);
    // A length read from garbage is found out before it is allocated.
    if (length > LONG_READ) this.#fill(new Uint8Array(1), address + BigInt(length - 1), address, length);
    const bytes = new Uint8Array(length);
    this.#fill(bytes, address, address, length);
    return bytes;
  }

  #fill(bytes: Uint8Array, from: bigint, address: bigint, length: number): void {
    let done = 0;
    while (done < bytes.length) {
      const position = done === 0 ? from : from + BigInt(done);
      const count = this.#readSome(bytes, done, position);
      if (count === undefined) throw new FaultError(address, length);
      if (count === 0) throw new FaultError(address, length, 'the process has exited, or executed another program');
      done += count;
    }
  }

  /** undefined: nothing can be read there. */
  #readSome(bytes: Uint8Array, offset: number, position: bigint): number | undefined {
    const descriptor = this.#open();
    try {
      return readSync(descriptor, bytes, offset, bytes.length - offset, position);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EIO' || code === 'EFAULT') return undefined;
      throw explainProcessError(this.#pid, error);
    }
  }

  #open(): number {
    try {
      return (this.#descriptor ??= openSync(`/proc/${this.#pid}/mem`, 'r'));
    } catch (error) {
      throw explainProcessError(this.#pid, error);
    }
  }

  /** The next read opens the file again: after an exec the old descriptor still means the program before it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
