/** The log of internal errors, each with its stack, for the user to report. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The file; it exists once something was written to it. */
export const logFile = join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'mpidbg', 'adapter.log');

/** Never throws: a log that cannot be written must not end a session. */
export function logDefect(during: string, error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    appendFileSync(logFile, `${new Date().toISOString()} ${during}\n${what}\n\n`, { mode: 0o600 });
  } catch {
    console.error(`${during}\n${what}`);
  }
}
