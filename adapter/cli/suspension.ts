/** Ctrl-Z while ranks are held: they are let go before mpidbg stops, and looked at again when it goes on. */
import { StartError } from '../job/start-error';
import { takeSignal } from '../hosts/terminal';
import { follow } from '../hosts/time-limit';

/** With these a terminal or a shell suspends a job. */
const suspending: readonly NodeJS.Signals[] = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];

class SuspendedError extends StartError {
  constructor() {
    super('mpidbg was suspended; every process was released');
  }
}

/**
 * As `look`, which leaves every process as it was when its signal is aborted. `begin`: the signal of one look, made anew for each: time in
 * which mpidbg is suspended does not count.
 */
export async function withSuspension<T>(
  begin: () => AbortSignal,
  look: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (;;) {
    const controller = new AbortController();
    const stopFollowing = follow(begin(), controller);
    let suspendedBy: NodeJS.Signals | undefined;
    const suspend = (name: NodeJS.Signals): void => {
      suspendedBy = name;
      controller.abort(new SuspendedError());
    };
    for (const name of suspending) process.on(name, suspend);
    try {
      return await look(controller.signal);
    } catch (error) {
      if (!(error instanceof SuspendedError)) throw error;
    } finally {
      stopFollowing();
      for (const name of suspending) process.off(name, suspend);
      if (suspendedBy !== undefined) takeSignal(suspendedBy);
    }
  }
}
