/** What a gdb holds, for the case that its guardians are killed with it: then they are let go from here. */
import { ShortageError } from '../elf/shortage-error';
import type { Host, WhenLost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { ProcessAccessError } from '../hosts/process-access-error';
import { HostLostError } from './host-lost-error';

export interface ReleasingHost extends Host {
  /** Has done there what the guardians of a gdb would have done (agent.pl, release): "PID:START:HOW" of each process. */
  releaseHeld(held: readonly string[]): Promise<void>;
}

export class HeldProcesses {
  private readonly held = new Map<number, { then: WhenLost; startTime: Promise<string | undefined> }>();

  constructor(private readonly host: ReleasingHost) {}

  add(pid: number, then: WhenLost): void {
    const startTime = this.held.get(pid)?.startTime ?? startTimeOf(new HostProcess(this.host, pid));
    this.held.set(pid, { then, startTime });
  }

  delete(pid: number): void {
    this.held.delete(pid);
  }

  /** No gdb traces them any more. Resolves when each of them is what it has to be. */
  async release(): Promise<void> {
    const entries = await Promise.all(
      [...this.held].map(async ([pid, { then, startTime }]) => ({ pid, then, startTime: await startTime })),
    );
    const known = entries.filter(({ startTime }) => startTime !== undefined);
    if (known.length === 0) return;
    await this.host.releaseHeld(known.map(({ pid, then, startTime }) => `${pid}:${startTime}:${then}`));
  }
}

/** Undefined when it is gone, or cannot be known. */
async function startTimeOf(process: HostProcess): Promise<string | undefined> {
  try {
    return (await process.life()).startTime;
  } catch (error) {
    const isUnknown = [ProcessAccessError, ShortageError, HostLostError].some((known) => error instanceof known);
    if (isUnknown) return undefined;
    throw error;
  }
}
