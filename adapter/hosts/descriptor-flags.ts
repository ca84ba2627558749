/** How an open descriptor of this process was opened. */
import { readFileSync } from 'node:fs';

export const accessMode = 0o3;
export const readAndWrite = 0o2;
export const nonBlocking = 0o4000;
export const closeOnExec = 0o2000000;

/** Throws where it is not open, or the kernel does not tell. */
export function flagsOf(descriptor: number): number {
  const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))!;
  return parseInt(flags!, 8);
}
