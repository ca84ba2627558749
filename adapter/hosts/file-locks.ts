/** Who has the lock of a file that a process waits for, as the kernel lists them. */
import { unlessShort } from '../elf/shortage-error';
import type { HostProcess } from './host-process';

/** The pid of the process that took the lock of this file; undefined: the kernel does not tell, or tells of several. */
export async function fileLockHolder({ host, pid }: HostProcess, descriptor: number): Promise<number | undefined> {
  const paths = [`/proc/${pid}/fdinfo/${descriptor}`, '/proc/locks'];
  const texts = paths.map((path) => host.readFile(path).catch(unlessShort(Buffer.alloc(0))));
  const [file = '', locks = ''] = (await Promise.all(texts)).map((text) => text.toString('latin1'));
  // Since Linux 5.14.
  const inode = /^ino:\s*(\d+)$/m.exec(file)?.[1];
  return inode === undefined ? undefined : holderIn(locks, inode);
}

/**
 * Reads lines such as "3: FLOCK  ADVISORY  WRITE 812 fe:00:1234 0 EOF"; those that wait, "3: -> FLOCK …", are not there while
 * they stand still. Two files of different file systems may have the same inode number.
 */
export function holderIn(locks: string, inode: string): number | undefined {
  const found = locks.split('\n').flatMap((line) => {
    const [, pid, of] = /^\d+: \w+ +\w+ +\w+ +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
    return of === inode && Number(pid) > 0 ? [Number(pid)] : [];
  });
  const [holder, ...others] = new Set(found);
  return others.length === 0 ? holder : undefined;
}
