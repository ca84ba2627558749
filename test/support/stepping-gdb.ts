/** A gdb that stops one process inside a call, after so many instructions, or where a word of its memory was written. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { MiConnection } from '../../adapter/gdb/mi/mi-connection';
import type { AsyncRecord } from '../../adapter/gdb/mi/mi-parser';
import { patienceMs } from './patience';
import { watchpointsAreReported } from './watchpoints';

const deadlineMs = patienceMs;

export class SteppingGdb {
  private constructor(
    private readonly gdb: ChildProcess,
    private readonly connection: MiConnection,
  ) {}

  /** The process is stopped then. */
  static async attach(pid: number): Promise<SteppingGdb> {
    const gdb = spawn('gdb', ['-q', '-nx', '--interpreter=mi3'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const stepping = new SteppingGdb(gdb, new MiConnection(Duplex.from({ readable: gdb.stdout, writable: gdb.stdin })));
    try {
      // No symbols are needed: all places are addresses.
      await stepping.connection.command('-gdb-set auto-solib-add off');
      await stepping.stopped(`-target-attach ${pid}`);
      // The library's other threads go on only when this one does.
      await stepping.connection.command('-gdb-set scheduler-locking step');
      // Otherwise gdb steps and compares: a hundred times slower, and much more so on a busy machine.
      const usesProcessor = watchpointsAreReported() ? 1 : 0;
      await stepping.connection.command(`-gdb-set can-use-hw-watchpoints ${usesProcessor}`);
      return stepping;
    } catch (error) {
      gdb.kill('SIGKILL');
      throw error;
    }
  }

  /** Lets the process go on to the next time it comes to this address. */
  async runTo(address: bigint): Promise<void> {
    await this.connection.command(`-break-insert -t *0x${address.toString(16)}`);
    await this.stopped('-exec-continue');
  }

  /** So many instructions on. */
  async step(instructions: number): Promise<void> {
    await this.stopped(`-exec-step-instruction ${instructions}`);
  }

  /** From now on, goOn() stops behind each instruction that writes another value into the 8 bytes there; at most 4. */
  async watch(address: bigint): Promise<void> {
    await this.connection.command(`-interpreter-exec console "watch -l *(long *) 0x${address.toString(16)}"`);
  }

  /** Lets the process go on to the next such instruction. */
  async goOn(): Promise<void> {
    await this.stopped('-exec-continue');
  }

  /** Forgets all that is watched. */
  async unwatch(): Promise<void> {
    await this.connection.command('-interpreter-exec console "delete"');
  }

  async detach(): Promise<void> {
    if (!this.connection.isClosed) await this.connection.command('-target-detach').catch(() => undefined);
    this.connection.end();
    const closed = this.gdb.exitCode === null ? once(this.gdb, 'close') : undefined;
    const killer = setTimeout(() => this.gdb.kill('SIGKILL'), deadlineMs);
    await closed;
    clearTimeout(killer);
  }

  private async stopped(command: string): Promise<void> {
    const stop = new Promise<void>((resolve, reject) => {
      const take = (record: AsyncRecord): void => {
        if (record.class !== 'stopped') return;
        settle();
        resolve();
      };
      const timer = setTimeout(() => {
        settle();
        reject(new Error(`the process did not stop within ${deadlineMs} ms: ${command}`));
      }, deadlineMs);
      const settle = (): void => {
        clearTimeout(timer);
        this.connection.off('async', take);
      };
      this.connection.on('async', take);
    });
    await Promise.all([stop, this.connection.command(command)]);
  }
}
