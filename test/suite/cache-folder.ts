/** What is kept between runs; deleting it undoes everything. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mpidbg', 'suite');
}
