/** The machine that we run on. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { FileSource } from '../elf/byte-source';
import type { Host, HostFile, ProcessMemory } from './host';
import { LocalMemory } from './local-memory';

export class LocalHost implements Host {
  readonly name = hostname();

  readFile(path: string): Promise<Buffer> {
    return readFile(path);
  }

  readLink(path: string): Promise<string> {
    return readlink(path);
  }

  list(folder: string): Promise<string[]> {
    return readdir(folder);
  }

  /** At once: a rank has 200 of them, and to wait for each would take longer than to read it. */
  async openFile(path: string): Promise<HostFile> {
    const source = new FileSource(path);
    return {
      size: source.size,
      inode: source.inode,
      modified: source.modified,
      identity: source.identity,
      read: async (offset, length) => source.read(offset, length),
      close: () => source.close(),
    };
  }

  openMemory(pid: number): ProcessMemory {
    return new LocalMemory(pid);
  }

  async signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    process.kill(pid, signal);
  }
}

export const localHost: Host = new LocalHost();
