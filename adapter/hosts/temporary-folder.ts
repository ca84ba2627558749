/** Folders of ours for as long as mpidbg runs: in TMPDIR, or a way round one that cannot be used. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { maxSocketPath, privateFolder } from './private-folders';

/** Bytes: what mkdtemp adds to a name. */
const randomLength = 6;

export interface TemporaryFolderOptions {
  /** The name of a socket that will lie in it, for which some paths are too long. */
  socket?: string;
  /** Programs in containers must see it: most runtimes expose /tmp, and other folders only on request. */
  inContainers?: boolean;
}

/**
 * A new folder for the user alone, whose name begins so and cannot be foreseen. A job's TMPDIR may exist on other machines only.
 * @throws {Error} of node:fs, if no folder is to be had.
 */
export function temporaryFolder(
  beginning: string,
  { socket, inContainers = false }: TemporaryFolderOptions = {},
): string {
  const above = inContainers ? ['/tmp', tmpdir()] : [tmpdir(), '/tmp'];
  for (const each of new Set(above)) {
    const length = Buffer.byteLength(join(each, beginning, '/', socket ?? '')) + randomLength;
    // A relative one would be another one in a process elsewhere.
    if (!isAbsolute(each) || (socket !== undefined && length > maxSocketPath)) continue;
    try {
      return mkdtempSync(join(each, beginning));
    } catch {
      // The next one.
    }
  }
  return mkdtempSync(join(privateFolder(), beginning));
}
