/** Where defects of ours are written down, each with its stack, for the user to report. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../hosts/make-folder';
import { tell } from '../../hosts/standard-streams';

/** The file; it exists once something was written to it. */
export const logFile = join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'mpidbg', 'adapter.log');

/** Bytes. A log that has grown longer takes the place of the one before, FILE.1, and a new one begins. */
export const maxLog = 1 << 20;

/** Never throws: a log that cannot be written must not end a session. */
export function logDefect(during: string, error: unknown, file = logFile): void {
  const what = (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, maxLog / 4);
  try {
    makeFolder(dirname(file));
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLog) renameSync(file, `${file}.1`);
    appendFileSync(file, `${new Date().toISOString()} ${during}\n${what}\n\n`, { mode: 0o600 });
  } catch {
    void tell(during, ...what.split('\n'));
  }
}
