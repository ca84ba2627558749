/** What the end of a job may need is loaded while it runs: until then mpidbg may have been installed anew. */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Milliseconds: short jobs do without, and those that start have the processors for themselves. */
const quietAtFirst = 2000;

/** In dist/cli/, where the parts of the command line are; the sources have none. */
const isPart = (file: string): boolean => file.endsWith('.js') && file !== 'main.js';

/** Begins later, and keeps nobody from ending. Who needs a part that could not be loaded says so. */
export function loadLaterParts(): void {
  setTimeout(() => void loadParts().catch(() => undefined), quietAtFirst).unref();
}

async function loadParts(): Promise<void> {
  const require = createRequire(__filename);
  // By the same words as in the parts, which then do not look for the file again.
  for (const file of (await readdir(__dirname)).filter(isPart)) require(`./${file}`);
}
