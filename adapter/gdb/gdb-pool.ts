/** The gdbs of a job on one host, and which of them holds which rank. */
import { Gdb, UnusableGdbError } from './gdb';
import { GdbLostError } from './mi/mi-connection';
import { addInferior } from './mi/target-manipulation';
import type { GdbHost, WhenLost } from '../hosts/host';

/**
 * One gdb shares the symbols of its ranks but does its work on one processor. Measured with 32 ranks of Open MPI 4.1.4 and
 * MPICH 4.0.2 on 2 processors: 3 gdbs step about as fast as 4 and take 55 MiB less; 2 take 60 MiB less again, and steps
 * take half as long again. One for each rank takes five times the memory and the CPU.
 */
const ranksPerGdb = 12;

/** See StartedGdb. */
export interface PoolMember {
  readonly gdb: Gdb;
  hold(pid: number, then: WhenLost): void;
  /** Ends gdb, which detaches from what it still holds; resolves when it has ended completely. */
  end(): Promise<void>;
}

/** An inferior that waits for its process. */
export interface Slot {
  member: PoolMember;
  threadGroup: string;
}

export class GdbPool {
  private constructor(readonly members: readonly PoolMember[]) {}

  /** Rejects with UnusableGdbError, or as GdbHost.startGdb does, when one cannot be started; none is left then. */
  static async start(host: GdbHost, gdbPath: string, ranks: number, perGdb = ranksPerGdb): Promise<GdbPool> {
    const count = Math.ceil(ranks / perGdb);
    const started = await Promise.allSettled(Array.from({ length: count }, () => startMember(host, gdbPath)));
    const pool = new GdbPool(started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    const failed = started.find((one) => one.status === 'rejected');
    if (failed === undefined) return pool;
    await pool.end();
    throw failed.reason;
  }

  /** One slot per rank, neighbours in the same gdb. */
  async slots(ranks: number): Promise<Slot[]> {
    const perGdb = Math.ceil(ranks / this.members.length);
    const slots = await Promise.all(
      this.members.map(async (member, index) => {
        const count = Math.min(perGdb, ranks - index * perGdb);
        // gdb starts with one inferior.
        const others = Array.from({ length: Math.max(0, count - 1) }, () => addInferior(member.gdb));
        const groups = ['i1', ...(await Promise.all(others))].slice(0, Math.max(0, count));
        return groups.map((threadGroup) => ({ member, threadGroup }));
      }),
    );
    return slots.flat();
  }

  /** Resolves when nothing of any gdb is left. */
  async end(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
  }
}

async function startMember(host: GdbHost, gdbPath: string): Promise<PoolMember> {
  const started = await host.startGdb(gdbPath);
  try {
    const gdb = await Gdb.connect(started.mi, async () => {
      const end = await started.whyEnded();
      return end.kind === 'ended' ? end.how : `cannot be run (${end.reason})`;
    });
    return {
      gdb,
      hold: (pid, then) => started.hold(pid, then),
      end: async () => {
        gdb.end();
        await started.end();
      },
    };
  } catch (error) {
    await started.end();
    if (!(error instanceof GdbLostError)) throw error;
    const end = await started.whyEnded();
    if (end.kind === 'notRun') throw new UnusableGdbError(`gdb cannot be run (${gdbPath}: ${end.reason})`);
    const words = started.lastWords();
    const last = words === '' ? '' : `; its last words: ${words}`;
    throw new UnusableGdbError(`${gdbPath} cannot be used as gdb: it ${end.how}${last}`);
  }
}
