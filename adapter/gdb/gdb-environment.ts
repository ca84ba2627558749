/** Variables of the user's environment that keep a gdb from starting. */
import { gdbAttempts, suspectSurroundings } from '../hosts/own-environment';
import { UnusableGdbError } from './unusable-gdb';

/**
 * Starts a gdb without what is meant for other programs, and if it ends at once, without more. Rejects as the first attempt did, naming
 * what may be the cause.
 */
export async function inSomeEnvironment<T>(start: (without: readonly string[]) => Promise<T>): Promise<T> {
  let first: UnusableGdbError | undefined;
  for (const without of gdbAttempts(process.env)) {
    try {
      return await start(without);
    } catch (error) {
      if (!(error instanceof UnusableGdbError && error.hasEnded)) throw first ?? error;
      const message = `${error.message}${suspectSurroundings(process.env)}`;
      first ??= new UnusableGdbError(message, true, error.isAtFault);
    }
  }
  throw first!;
}
