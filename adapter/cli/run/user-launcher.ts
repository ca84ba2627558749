/** The user's launcher as it is: with our descriptors, in our process group, and with the signals that we get. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { isInForeground } from '../../hosts/terminal';

export interface LauncherEnd {
  /** As a shell tells it: 128 + n for signal n, 127 where it could not be started. */
  status: number;
  /** Why it could not be started. */
  notStarted?: string;
  /** The signal that ended it. */
  signal?: NodeJS.Signals;
}

/** With these a batch system, a terminal or a user ends a job. */
const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** With these some batch systems announce the end of its time. */
const announcing: readonly NodeJS.Signals[] = ['SIGUSR1', 'SIGUSR2'];

export class UserLauncher {
  readonly ended: Promise<LauncherEnd>;
  /** The first signal that asked the job to end. */
  askedToEndBy: NodeJS.Signals | undefined;
  private readonly process: ChildProcess;
  private readonly toEnd = new AbortController();

  /** `added`: to our environment. `descriptors`: what it gets beside the standard streams, under the same numbers. */
  constructor(
    [command = '', ...args]: readonly string[],
    added: Readonly<Record<string, string>>,
    descriptors: readonly number[],
  ) {
    // Before the launcher is there to get them: a signal that comes in between must not end us alone.
    const stopListening = this.passSignalsOn();
    this.process = spawn(command, args, { stdio: stdioOf(descriptors), env: { ...process.env, ...added } });
    this.ended = new Promise((resolve) => {
      this.process.once('error', (error: NodeJS.ErrnoException) => {
        if (this.pid === undefined) resolve({ status: 127, notStarted: whyNot(command, error) });
      });
      this.process.once('exit', (status, signal) =>
        resolve(signal === null ? { status: status ?? 1 } : { status: 128 + constants.signals[signal], signal }),
      );
    });
    void this.ended.then(() => {
      stopListening();
      this.toEnd.abort();
    });
  }

  /** undefined: it could not be started. */
  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Aborted when somebody asks the job to end, and when it has. */
  get ending(): AbortSignal {
    return this.toEnd.signal;
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  private passSignalsOn(): () => void {
    const listeners = [...endingSignals, ...announcing].map((name) => {
      const pass = (): void => {
        if (endingSignals.includes(name)) {
          this.askedToEndBy ??= name;
          this.toEnd.abort();
        }
        // A terminal has sent them to the launcher too, which takes a second one as the wish to end at once.
        if (!(isOfTerminal(name) && isInForeground())) this.signal(name);
      };
      process.on(name, pass);
      return () => process.off(name, pass);
    });
    return () => listeners.forEach((off) => off());
  }
}

function stdioOf(descriptors: readonly number[]): StdioOptions {
  const end = Math.max(2, ...descriptors) + 1;
  // 'inherit': the job writes to our streams itself, and mpidbg only writes beside it.
  // eslint-disable-next-line no-restricted-syntax
  return Array.from({ length: end }, (_, i) => (i <= 2 ? 'inherit' : descriptors.includes(i) ? i : 'ignore'));
}

function whyNot(command: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `there is no launcher ${command}: correct its name, or PATH`;
  if (code === 'EACCES') return `the launcher ${command} may not be executed`;
  return `the launcher ${command} cannot be started: ${message}`;
}

function isOfTerminal(name: NodeJS.Signals): boolean {
  return name === 'SIGINT' || name === 'SIGQUIT';
}
