/**
 * Stops ranks at the instruction that makes a NaN or an infinity: their threads trap such operations, and those that they
 * start inherit it. A trapped instruction has changed nothing: when its thread goes on, without the signal, it computes
 * what it would have.
 */
import type { FloatKind } from '../../plugin-api/deaths/death';
import type { LibraryCode } from '../../plugin-api/mpi/library-code';
import { describeTrap, kindOfCode, maskFloats, passOverTrap, trapFloats } from '../gdb/float-control';
import { GdbError } from '../gdb/mi/mi-connection';
import { signalInfo } from '../gdb/mi/signals';
import type { Rank, RankThread } from './rank';
import { ignoreIfGone } from './rank-ended';
import { ownThread } from './rank-record';

export interface FloatTrapRequest {
  kinds: readonly FloatKind[];
  /** Whether the rank is one of these. */
  has: (rank: Rank) => boolean;
}

export class FloatTraps {
  /** The kinds that trap in each rank because of us, not of the program. */
  private readonly set = new Map<Rank, readonly FloatKind[]>();
  /** Those that once did: a thread may restore a state of registers that it saved meanwhile. */
  private readonly past = new Map<Rank, ReadonlySet<FloatKind>>();

  /** Since their last stop a thread does not trap, so that it can go on. */
  private readonly passed = new Set<Rank>();

  /** `libraries`: code that is not the program's. */
  constructor(
    private readonly libraries: LibraryCode,
    private readonly whileHeld: (rank: Rank, work: () => Promise<void>) => Promise<void>,
  ) {}

  /** Ranks that run are held for a moment. Answers why it is not so in some rank. */
  async request(ranks: readonly Rank[], { kinds, has }: FloatTrapRequest): Promise<string | undefined> {
    const failures: string[] = [];
    await Promise.all(
      ranks
        .filter((rank) => rank.alive && !(rank.state === 'core'))
        .map(async (rank) => {
          const wanted = has(rank) ? kinds : [];
          const present = this.set.get(rank) ?? [];
          if (present.length === wanted.length && present.every((kind) => wanted.includes(kind))) return;
          try {
            await this.whileHeld(rank, () => this.change(rank, wanted));
          } catch (error) {
            if (!(error instanceof GdbError)) return ignoreIfGone(error);
            failures.push(`${rank.label}: ${error.message}`);
          }
        }),
    );
    return failures[0];
  }

  /** It was another gdb's: what traps in it because of us. */
  takeOver(rank: Rank, before: FloatTraps): void {
    const [set, past] = [before.set.get(rank), before.past.get(rank)];
    if (set !== undefined) this.set.set(rank, set);
    if (past !== undefined) this.past.set(rank, past);
  }

  /** The rank, which is held, is about to lose its gdb. */
  async release(rank: Rank): Promise<void> {
    if (this.set.has(rank)) await this.change(rank, []).catch(ignoreIfGone);
  }

  /** The rank is held: what a thread has passed over traps again. What its threads stopped for may be a trap of ours: `stop` then says so, and it is passed over. */
  async recognize(rank: Rank): Promise<void> {
    const [first] = rank.threads;
    const present = this.set.get(rank);
    if (this.passed.delete(rank) && first !== undefined && present !== undefined) await trapFloats(first, present);
    for (const thread of rank.threads)
      if (thread.stop?.signal?.name === 'SIGFPE' && this.past.has(rank)) await this.recognizeIn(thread);
  }

  private async recognizeIn(thread: RankThread): Promise<void> {
    const { stop } = ownThread(thread);
    const code = (await signalInfo(thread))?.code;
    const kind = code === undefined ? undefined : kindOfCode(code);
    const past = this.past.get(thread.rank);
    if (stop === undefined || kind === undefined || past === undefined) return;
    const trap = await describeTrap(thread, kind, this.libraries).catch((error: unknown) => {
      if (!(error instanceof GdbError)) throw error;
      const statement = `a statement that is not known: ${error.message}`;
      return {
        kind,
        operation: undefined,
        statement,
        within: undefined,
        place: undefined,
        isExact: false,
        isOfProgram: false,
      };
    });
    stop.floatingPoint = trap;
    // The program gets the signal.
    if (trap.isOfProgram) return;
    await passOverTrap(thread, trap.isExact ? [trap.kind] : [...past]);
    this.passed.add(thread.rank);
    delete stop.signal;
  }

  private async change(rank: Rank, wanted: readonly FloatKind[]): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined) return;
    const present = this.set.get(rank) ?? [];
    if (present.length > 0) await maskFloats(thread, present);
    this.set.delete(rank);
    if (wanted.length === 0) return;
    const own = await trapFloats(thread, wanted);
    const ours = wanted.filter((kind) => !own.includes(kind));
    this.set.set(rank, ours);
    this.past.set(rank, new Set([...(this.past.get(rank) ?? []), ...ours]));
  }
}
