/** Loads what the end of a job may need while the job runs: its files may be gone by then, as mpidbg may be upgraded meanwhile. */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Milliseconds. Short jobs do without, and a job that starts has the processors to itself. */
const quietAtFirst = 2000;

/** In dist/cli/, where the parts of the command line are; the sources have none. */
const isPart = (file: string): boolean => file.endsWith('.js') && file !== 'main.js';

/** Starts after a while, and does not keep the process alive. A part that cannot be loaded is reported by whoever needs it. */
export function loadLaterParts(): void {
  setTimeout(() => void loadParts().catch(() => undefined), quietAtFirst).unref();
}

async function loadParts(): Promise<void> {
  const require = createRequire(__filename);
  // By the same relative path as the parts use: Node then does not look for the file again.
  for (const file of (await readdir(__dirname)).filter(isPart)) require(`./${file}`);
}
