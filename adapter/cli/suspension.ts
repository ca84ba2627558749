/** Ctrl-Z while ranks are held: they are let go before mpidbg stops, and looked at again when it goes on. */
import { setImmediate } from 'node:timers/promises';
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

/** The user has ended mpidbg. */
export class EndedBySignalError extends StartError {
  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}; every process was released`);
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
    const limit = begin();
    const suspension = new Suspension(limit);
    try {
      const answer = await look(suspension.signal);
      if (!(await suspension.came())) return answer;
    } catch (error) {
      // What failed may have failed because the ranks were let go.
      if (!(await suspension.came()) || limit.reason instanceof EndedBySignalError) throw error;
    } finally {
      suspension.takeEffect();
    }
  }
}

/** One that comes while a look goes on ends it. */
class Suspension {
  private readonly controller = new AbortController();
  private readonly stopFollowing: () => void;
  private signalled: NodeJS.Signals | undefined;

  constructor(limit: AbortSignal) {
    this.stopFollowing = follow(limit, this.controller);
    for (const name of suspending) process.on(name, this.hear);
    // Nobody hears SIGSTOP: when it is over, guardians and holders have let the ranks go (agent.pl, LOOKER).
    process.on('SIGCONT', this.hear);
  }

  /** The signal of the look. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether it has come. A signal may be pending when this process resumes: it is heard first. */
  async came(): Promise<boolean> {
    await setImmediate();
    return this.signalled !== undefined;
  }

  /** Stops this process, if a signal asked for that; returns when the process has been resumed. */
  takeEffect(): void {
    this.stopFollowing();
    for (const name of suspending) process.off(name, this.hear);
    process.off('SIGCONT', this.hear);
    if (this.signalled !== undefined && this.signalled !== 'SIGCONT') takeSignal(this.signalled);
  }

  private readonly hear = (signal: NodeJS.Signals): void => {
    this.signalled = signal;
    this.controller.abort(new SuspendedError());
  };
}
