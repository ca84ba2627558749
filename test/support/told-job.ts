/** A job of a program that a test has compiled: it prints what is true of it, and waits. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { patienceMs } from './patience';
import { launchers, type Mpi } from './sample-job';

export class ToldJob {
  private constructor(private readonly launcher: ChildProcess) {}

  /**
   * `words`: of the launcher's command line, as in ['-n', '2', PROGRAM]. `isAll` hears each line, and says whether it was the last of
   * what the ranks print before they wait. Rejects, with what they have printed, if the job ends before that or takes too long.
   */
  static async start(mpi: Mpi, words: readonly string[], isAll: (line: string) => boolean): Promise<ToldJob> {
    const { command, args, env } = launchers[mpi];
    const launcher = spawn(command, [...args, ...words], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const told: string[] = [];
    // Its end is the end of the lines.
    const deadline = setTimeout(() => launcher.kill(), patienceMs);
    try {
      for await (const line of createInterface({ input: launcher.stdout })) {
        told.push(line);
        if (isAll(line)) return new ToldJob(launcher);
      }
    } finally {
      clearTimeout(deadline);
    }
    return assert.fail(`${command} ${words.join(' ')} has ended, or was too slow:\n${told.join('\n')}`);
  }

  /** The pid of the launcher. */
  get pid(): number {
    return this.launcher.pid!;
  }

  async kill(): Promise<void> {
    if (this.launcher.exitCode !== null) return;
    const ended = once(this.launcher, 'close');
    this.launcher.kill();
    this.launcher.stdout?.resume();
    await ended;
  }
}

/** For a job whose only rank prints lines "EXPRESSION TAB VALUE", and "waits" at last. */
export function intoMap(told: Map<string, string>): (line: string) => boolean {
  return (line) => {
    if (line === 'waits') return true;
    const [expression = '', value = ''] = line.split('\t');
    told.set(expression, value);
    return false;
  };
}
