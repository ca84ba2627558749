/** Runs Python in gdb. */
import type { MiCommands } from '../mi/context';
import { GdbError } from '../mi/mi-connection';

/** This gdb has no Python. */
export class NoPythonError extends GdbError {
  constructor(command: string) {
    super(
      'this gdb was built without Python, which is needed for $rank, hit counts, log messages, instruction breakpoints, ' +
        'comparisons of text and Fortran components named like intrinsics: use a gdb with Python, as distributions ship it',
      command,
    );
    this.name = 'NoPythonError';
  }
}

/** As one line without quotes: what a console command can carry. Rejects with NoPythonError, GdbError. */
export async function runPython(gdb: MiCommands, source: string): Promise<void> {
  const encoded = Buffer.from(source).toString('base64');
  const command = `python import base64; exec(base64.b64decode('${encoded}').decode())`;
  try {
    await gdb.console(command);
  } catch (error) {
    if (error instanceof GdbError && error.failure.reason === 'noPython') throw new NoPythonError(command);
    throw error;
  }
}

/** By gdb: the scripts that it has. */
const given = new WeakMap<MiCommands, Map<string, Promise<void>>>();

/** Runs a script once per gdb, however often it is asked for. Rejects with NoPythonError, GdbError. */
export function runPythonOnce(gdb: MiCommands, source: string): Promise<void> {
  const ofGdb = given.get(gdb) ?? new Map<string, Promise<void>>();
  given.set(gdb, ofGdb);
  let run = ofGdb.get(source);
  if (run === undefined) {
    run = runPython(gdb, source);
    ofGdb.set(source, run);
    run.catch(() => ofGdb.delete(source));
  }
  return run;
}
