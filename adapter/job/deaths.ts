/**
 * Ranks that are about to end, or that get an error from MPI, before anything of the job is torn down: which of them stop,
 * and what was seen of each.
 */
import type { SeenDeathKind, SeenDeath } from '../../plugin-api/deaths/seen-death';
import { EventEmitter } from 'node:events';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { ErrhandlerPlaces } from '../../plugin-api/mpi/plugin';
import type { Gdb } from '../gdb/gdb';
import {
  decideDeath,
  insertDeaths,
  placeDeaths,
  seenDeath,
  setStoppingDeaths,
  type UnderWay,
} from '../gdb/python/death-script';
import type { Rank, RankThread } from './rank';
import { ignoreIfGone } from './rank-ended';

type WhereUnderWay = (rank: Rank) => Promise<UnderWay | undefined>;

interface DeathsEvents {
  /** Whether or not it stops. Not for one that is undecided, or of a rank that is torn down. */
  seen: [Rank, SeenDeath];
}

/** MPI_ERR_OTHER and MPI_ERR_INTERN: of libraries that have no class for a lost connection. */
const ofLostRanks = /^MPIX?_ERR_(OTHER|INTERN|UNKNOWN|PROC_FAILED|PROC_FAILED_PENDING|PROC_ABORTED|REVOKED)$/;

export class Deaths extends EventEmitter<DeathsEvents> {
  /** The deaths of threads that have just stopped, or are about to. */
  private readonly latest = new Map<Gdb, Map<number, SeenDeath>>();
  /** The last error of each thread that may have gone to a handler of the program's own, which may have returned. */
  private readonly given = new Map<Gdb, Map<number, SeenDeath>>();
  private readonly prepared = new Map<Gdb, Promise<void>>();
  private readonly dying = new Set<Rank>();
  /** Those of them that were let go on or have ended, and those that a signal has ended: MPI tears down the others. */
  private readonly gone = new Set<Rank>();
  private readonly gdbs: Gdb[] = [];
  private readonly cameLater = new Set<Gdb>();
  private wanted: { kinds: readonly SeenDeathKind[]; underWay: WhereUnderWay } | undefined;

  constructor(
    gdbs: readonly Gdb[],
    private readonly mpis: KnownMpis,
    private readonly ranks: () => readonly Rank[],
    /** Runs work that gdb cannot do while the rank runs. */
    private readonly whileHeld: <Result>(rank: Rank, work: () => Promise<Result>) => Promise<Result>,
  ) {
    super();
    for (const gdb of gdbs) this.listenTo(gdb);
  }

  /** It comes later: its ranks stop for deaths when they are included. */
  add(gdb: Gdb): void {
    this.cameLater.add(gdb);
    this.listenTo(gdb);
  }

  private listenTo(gdb: Gdb): void {
    this.gdbs.push(gdb);
    this.latest.set(gdb, new Map());
    this.given.set(gdb, new Map());
    gdb.on('printed', (line, from) => {
      if (from === 'log') this.told(gdb, line);
    });
    gdb.on('closed', () => this.gdbs.splice(this.gdbs.indexOf(gdb), 1));
  }

  /** It has come to a gdb that came later, and is held. Rejects as stopFor does. */
  async include(rank: Rank): Promise<void> {
    const { gdb } = rank;
    if (this.wanted === undefined || !this.cameLater.has(gdb)) return;
    const { kinds, underWay } = this.wanted;
    if (!this.prepared.has(gdb)) return this.stopIn(gdb, kinds, underWay);
    await this.prepared.get(gdb);
    await this.place(rank, await underWay(rank)).catch(ignoreIfGone);
  }

  /**
   * From now on ranks stop for these kinds. `underWay`: of ranks that have begun; undefined: a rank is held before its
   * first instruction. Rejects with NoPythonError, GdbError.
   */
  async stopFor(kinds: readonly SeenDeathKind[], underWay: WhereUnderWay): Promise<void> {
    this.wanted = { kinds, underWay };
    await Promise.all(this.gdbs.map((gdb) => this.stopIn(gdb, kinds, underWay)));
  }

  private async stopIn(gdb: Gdb, kinds: readonly SeenDeathKind[], underWay: WhereUnderWay): Promise<void> {
    if (kinds.length === 0 && !this.prepared.has(gdb)) return;
    let prepared = this.prepared.get(gdb);
    if (prepared === undefined) {
      prepared = this.prepare(gdb, underWay);
      this.prepared.set(gdb, prepared);
      prepared.catch(() => this.prepared.delete(gdb));
    }
    await prepared;
    await setStoppingDeaths(gdb, kinds);
  }

  /** What this thread, by gdb's number, has stopped for; undefined: for something else. */
  take(gdb: Gdb, thread: number | undefined): SeenDeath | undefined {
    const seen = thread === undefined ? undefined : this.latest.get(gdb)?.get(thread);
    if (thread !== undefined) this.latest.get(gdb)?.delete(thread);
    return seen?.stops === true ? seen : undefined;
  }

  /** The last error of MPI for which this thread may have called an error handler of the program's own. */
  givenTo({ gdb, gdbThread }: RankThread): SeenDeath | undefined {
    return this.given.get(gdb)?.get(gdbThread);
  }

  /** Runs again after its stop. */
  continued(rank: Rank): void {
    if (this.dying.has(rank)) this.gone.add(rank);
  }

  ended(rank: Rank): void {
    if (rank.end?.signal !== undefined || this.dying.has(rank)) this.gone.add(rank);
  }

  /** MPI ends this rank because another one, or the launcher, has gone: it is not for itself that MPI exits in it. */
  isTornDown(rank: Rank, { kind, caller, isAtOnce }: SeenDeath): boolean {
    if (kind !== 'exit-without-finalize' || caller === undefined) return false;
    return this.mpis.ownerOf(caller) !== undefined && (isAtOnce === true || this.hasLostOther(rank));
  }

  /** An error of this class is what MPI tells of another rank that is gone. Errors of the rank's own calls have other classes. */
  isOfLostRank(rank: Rank, { kind }: SeenDeath, errorClass: string | undefined): boolean {
    return errorClass !== undefined && ofLostRanks.test(errorClass) && this.mayBeOfLostRank(rank, { kind });
  }

  /** Its class decides. */
  mayBeOfLostRank(rank: Rank, { kind }: Pick<SeenDeath, 'kind'>): boolean {
    return kind === 'mpi-error' && this.hasLostOther(rank);
  }

  private hasLostOther(rank: Rank): boolean {
    return [...this.gone].some((other) => other !== rank);
  }

  /** Decides for a thread that is held because its death is undecided; see ErrhandlerPlaces. */
  async decide(thread: RankThread, seen: SeenDeath, at: ErrhandlerPlaces): Promise<SeenDeath | undefined> {
    await decideDeath(thread, seen, at);
    return this.take(thread.gdb, thread.gdbThread);
  }

  private async prepare(gdb: Gdb, underWay: WhereUnderWay): Promise<void> {
    await insertDeaths(gdb, this.mpis);
    const own = this.ranks().filter((rank) => rank.gdb === gdb && rank.alive);
    for (const rank of own) await this.place(rank, await underWay(rank)).catch(ignoreIfGone);
  }

  private async place(rank: Rank, underWay: UnderWay | undefined): Promise<void> {
    await this.whileHeld(rank, async () => {
      const [thread] = rank.threads;
      if (thread !== undefined) await placeDeaths(thread, underWay);
    });
  }

  private told(gdb: Gdb, line: string): void {
    const seen = seenDeath(line);
    if (seen === undefined) return;
    this.latest.get(gdb)?.set(seen.thread, seen);
    if (seen.handling !== undefined) this.given.get(gdb)?.set(seen.thread, seen);
    const rank = this.ranks().find((each) => each.gdb === gdb && each.threadGroup === `i${seen.inferior}`);
    if (rank === undefined || seen.kind === 'undecided' || this.isTornDown(rank, seen)) return;
    if (seen.kind !== 'mpi-error-returned') this.dying.add(rank);
    this.emit('seen', rank, seen);
  }
}
