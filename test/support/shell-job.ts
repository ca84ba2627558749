/** Jobs below one shell, whose processes say who they are, "at PID NUMBER", and then wait. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { launchers, type Mpi } from './sample-job';

export class ShellJob {
  /** The pid of each process, by the number that it says is its own. */
  readonly pids = new Map<number, number>();
  /** What they have said. */
  readonly lines: string[] = [];

  private constructor(private readonly shell: ChildProcess) {}

  /** `line`: of the shell, in which "$@" is the launcher. Resolves when so many processes have told; rejects if all ends before. */
  static async start(mpi: Mpi, line: string, processes: number): Promise<ShellJob> {
    const { command, args, env } = launchers[mpi];
    const shell = spawn('sh', ['-c', line, 'sh', command, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const job = new ShellJob(shell);
    for await (const text of createInterface({ input: shell.stdout })) {
      job.lines.push(text);
      const [, pid, number] = /(?:at|process) (\d+) (?:is number )?(\d+)/.exec(text) ?? [];
      if (number !== undefined) job.pids.set(Number(number), Number(pid));
      if (job.pids.size === processes) return job;
    }
    throw new Error(`the job ended:\n${job.lines.join('\n')}`);
  }

  /** The pid of the shell. */
  get pid(): number {
    return this.shell.pid!;
  }

  /** With all that is below it. */
  async end(): Promise<void> {
    if (this.shell.exitCode !== null || this.shell.signalCode !== null) return;
    const ended = once(this.shell, 'exit');
    process.kill(-this.pid, 'SIGKILL');
    await ended;
  }
}
