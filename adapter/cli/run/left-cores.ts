/** The core files that a job has left. */
import { stat } from 'node:fs/promises';
import { coreFilePattern } from '../../hosts/core-pattern';
import { localHost } from '../../hosts/local-host';
import { findCoreFiles } from '../../job-sources/cores/core-paths';

/** The kernel's clock for files runs some milliseconds behind. */
const tick = 20;

export interface LeftCores {
  files: readonly string[];
  /** Why there are none: the end of a sentence. */
  reason: string;
}

/** The core files of ranks that ran where we do, and have died since then. */
export async function leftCores(since: Date): Promise<LeftCores> {
  const pattern = await coreFilePattern(localHost);
  if (pattern === undefined)
    return { files: [], reason: 'the system gives core files to a program (see core_pattern)' };
  const { files } = findCoreFiles([pattern], process.cwd());
  const times = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  const isOfJob = (_: string, index: number): boolean => {
    const status = times[index];
    return status?.isFile() === true && status.size > 0 && status.mtimeMs >= since.getTime() - tick;
  };
  return { files: files.filter(isOfJob), reason: `there is no new ${pattern} (is "ulimit -c unlimited" set?)` };
}
