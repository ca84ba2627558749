/** The processor cores of this machine. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

/** Those that we may use: cores, not their hardware threads, as Open MPI counts places for ranks. */
export async function coreCount(): Promise<number> {
  const info = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const ids = new Set<string>();
  for (const block of info.split('\n\n')) {
    const id = (name: string): string | undefined => new RegExp(`^${name}\\s*:\\s*(\\d+)`, 'm').exec(block)?.[1];
    const core = id('core id');
    if (core !== undefined) ids.add(`${id('physical id') ?? '0'}.${core}`);
  }
  const allowed = availableParallelism();
  return ids.size === 0 ? allowed : Math.min(ids.size, allowed);
}
