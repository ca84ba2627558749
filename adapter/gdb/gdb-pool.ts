/** The gdbs of a job, and which of them holds which rank: each runs on the host of its ranks. */
import { noMoreProcesses } from '../elf/shortage-error';
import { Gdb } from './gdb';
import { UnusableGdbError } from './unusable-gdb';
import { failureOf } from './mi/failure';
import { GdbLostError } from './mi/mi-connection';
import { inSomeEnvironment } from './gdb-environment';
import { addInferior } from './mi/target-manipulation';
import type { GdbHost, WhenLost } from '../hosts/host';
import { tryWatchpoint } from './watchpoint-trial';

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
  forget(pid: number): void;
  /** Ends gdb, which detaches from what it still holds; resolves when it has ended completely. */
  end(): Promise<void>;
}

/** An inferior that waits for its process. */
export interface Slot {
  member: PoolMember;
  threadGroup: string;
}

/** Ranks that one gdb holds. */
interface Share {
  host: GdbHost;
  /** Their places in the list of all ranks. */
  ranks: readonly number[];
}

export class GdbPool {
  /** Slots beyond the shares. */
  private readonly added = new Map<PoolMember, number>();
  /** The first inferiors of gdbs that came later, which wait for a process. */
  private readonly unused = new Map<PoolMember, string>();
  private isOver = false;
  private readonly trials = new Map<GdbHost, Promise<boolean | undefined>>();

  private constructor(
    private readonly shares: Share[],
    private readonly all: PoolMember[],
    private readonly gdbPath: string,
  ) {}

  /**
   * `hosts`: of each rank. Rejects with UnusableGdbError, or as GdbHost.startGdb does, when one cannot be started; none is left
   * then.
   */
  static async start(hosts: readonly GdbHost[], gdbPath: string, perGdb = ranksPerGdb): Promise<GdbPool> {
    const shares = [...new Set(hosts)].flatMap((host) => sharesOf(host, hosts, perGdb));
    const started = await Promise.allSettled(shares.map(({ host }) => startMember(host, gdbPath)));
    const pool = new GdbPool(
      shares,
      started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
      gdbPath,
    );
    const failed = started.find((one) => one.status === 'rejected');
    if (failed === undefined) return pool;
    await pool.end();
    throw failed.reason;
  }

  get members(): readonly PoolMember[] {
    return this.all;
  }

  /** One slot per rank, neighbours on a host in the same gdb. */
  async slots(): Promise<Slot[]> {
    const slots: Slot[] = [];
    await Promise.all(
      this.members.map(async (member, index) => {
        const ranks = this.shares[index]?.ranks ?? [];
        // gdb starts with one inferior.
        const others = await Promise.all(ranks.slice(1).map(() => addInferior(member.gdb)));
        ranks.forEach((rank, index) => (slots[rank] = { member, threadGroup: ['i1', ...others][index] ?? '' }));
      }),
    );
    return slots;
  }

  /** undefined: none of its gdbs runs there. */
  hostNamed(name: string): GdbHost | undefined {
    return this.shares.find(({ host }) => host.name === name)?.host;
  }

  /** One more, in the gdb of that host with the fewest ranks; undefined: there is none. Rejects with GdbError. */
  async addSlot(host: GdbHost): Promise<Slot | undefined> {
    const load = (member: PoolMember): number =>
      this.shares[this.members.indexOf(member)]!.ranks.length + (this.added.get(member) ?? 0);
    const [member] = this.members
      .filter(({ gdb }, index) => this.shares[index]!.host === host && !gdb.isClosed)
      .sort((a, b) => load(a) - load(b));
    if (member === undefined) return undefined;
    this.added.set(member, (this.added.get(member) ?? 0) + 1);
    const unused = this.unused.get(member);
    this.unused.delete(member);
    return { member, threadGroup: unused ?? (await addInferior(member.gdb)) };
  }

  /**
   * Gdbs for so many ranks of a host that has lost its own; none where one of these is left. Rejects as `start` does, and with
   * GdbLostError when the pool has ended meanwhile; none is left then.
   */
  async startAgain(host: GdbHost, ranks: number): Promise<readonly Gdb[]> {
    if (this.all.some(({ gdb }, index) => this.shares[index]!.host === host && !gdb.isClosed)) return [];
    const count = Math.ceil(ranks / ranksPerGdb);
    const started = await Promise.allSettled(Array.from({ length: count }, () => startMember(host, this.gdbPath)));
    const members = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = started.find((one) => one.status === 'rejected');
    if (this.isOver || failed !== undefined) {
      await Promise.all(members.map((member) => member.end()));
      throw failed?.reason ?? new GdbLostError('the session has ended', '');
    }
    for (const member of members) {
      this.all.push(member);
      this.shares.push({ host, ranks: [] });
      this.unused.set(member, 'i1');
    }
    return members.map(({ gdb }) => gdb);
  }

  /**
   * Whether the processor of that gdb's host reports watched memory; tried once for each host. undefined: it cannot be told.
   * Never rejects.
   */
  reportsWatchpoints(gdb: Gdb): Promise<boolean | undefined> {
    const { host } = this.shares[this.members.findIndex((member) => member.gdb === gdb)]!;
    const trial = this.trials.get(host) ?? tryWatchpoint(host, this.gdbPath).catch(() => undefined);
    this.trials.set(host, trial);
    return trial;
  }

  /** Resolves when nothing of any gdb is left. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.members.map((member) => member.end()));
  }
}

/** As equal as can be. */
function sharesOf(host: GdbHost, hosts: readonly GdbHost[], perGdb: number): Share[] {
  const ranks = hosts.flatMap((each, rank) => (each === host ? [rank] : []));
  const size = Math.ceil(ranks.length / Math.ceil(ranks.length / perGdb));
  return Array.from({ length: Math.ceil(ranks.length / size) }, (_, index) => ({
    host,
    ranks: ranks.slice(index * size, (index + 1) * size),
  }));
}

/** Resolves with a gdb that waits for processes. */
function startMember(host: GdbHost, gdbPath: string): Promise<PoolMember> {
  return inSomeEnvironment((without) => startIn(host, gdbPath, without));
}

async function startIn(host: GdbHost, gdbPath: string, without: readonly string[]): Promise<PoolMember> {
  const started = await host.startGdb(gdbPath, without);
  try {
    const howEnded = async (): Promise<string> => {
      const end = await started.whyEnded();
      return end.kind === 'ended' ? end.how : `cannot be run (${end.reason})`;
    };
    const gdb = await Gdb.connect(gdbPath, started.mi, howEnded, started.process);
    return {
      gdb,
      hold: (pid, then) => started.hold(pid, then),
      forget: (pid) => started.forget(pid),
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
    if (failureOf(words).reason === 'noProcesses') throw noMoreProcesses();
    const last = words === '' ? '' : `; its last words: ${words}`;
    throw new UnusableGdbError(`${gdbPath} cannot be used as gdb: it ${end.how}${last}`, true);
  }
}
