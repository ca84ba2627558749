/** Folders of ours for as long as mpidbg runs: in TMPDIR, or a way round one that cannot be used. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { maxSocketPath, privateFolder } from './private-folders';

/** Bytes: what mkdtemp adds to a name. */
const randomLength = 6;

/**
 * A new folder for the user alone, whose name begins so and cannot be foreseen. `socket`: the name of a socket that will lie in it, for
 * which some paths are too long. A job's TMPDIR may exist on other machines only. @throws {Error} of node:fs, if no folder is to be had.
 */
export function temporaryFolder(beginning: string, socket?: string): string {
  for (const above of new Set([tmpdir(), '/tmp'])) {
    const length = Buffer.byteLength(join(above, beginning, '/', socket ?? '')) + randomLength;
    // A relative one would be another one in a process elsewhere.
    if (!isAbsolute(above) || (socket !== undefined && length > maxSocketPath)) continue;
    try {
      return mkdtempSync(join(above, beginning));
    } catch {
      // The next one.
    }
  }
  return mkdtempSync(join(privateFolder(), beginning));
}
