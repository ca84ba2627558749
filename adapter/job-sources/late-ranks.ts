/** Ranks that come to a job while it runs, as those of MPI_Comm_spawn do. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { compareWorlds, ownWorld, WorldNames } from '../../plugin-api/mpi/worlds';
import type { GdbPool, PoolMember, Slot } from '../gdb/gdb-pool';
import { GdbError } from '../gdb/mi/mi-connection';
import { ignoreVforks } from '../gdb/python/vfork-script';
import type { GdbHost, WhenLost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { refusalAfter, refusalBefore } from '../hosts/ptrace-refusal';
import { attachRank } from '../job/attach-rank';
import type { GdbRanks } from '../job/gdb-ranks';
import type { JobHost } from '../job/job';
import type { Rank } from '../job/rank';
import { RankEndedError } from '../job/rank-ended';
import { recallThreads } from '../job/recalled-threads';
import { Turns } from '../job/turns';
import { namedPlaces, toldOf, type RankPlace, type ToldPlace } from '../launchers/rank-places';
import type { Candidate } from './refused-processes';
import { SpawnedGroups } from './spawned-groups';

/** What differs between a launched job and one that was attached to. */
export interface Joining {
  /** Every process that is spawned comes here, in about the order in which they are started. */
  seesAll: boolean;
  /** What happens to the process should gdb and the debugger be lost. */
  whenLost: WhenLost;
  /** gdb holds it. */
  held(rank: Rank, member: PoolMember): Promise<void>;
  /** It does not come to the job. */
  failed(): Promise<void>;
  /** Before it runs on. */
  prepare(group: GdbRanks, rank: Rank): Promise<void>;
  /** Everything applies to it, and it is held. Default: it runs on. */
  begin?(group: GdbRanks, rank: Rank): Promise<void>;
}

export class LateRanks {
  private readonly names = new WorldNames();
  private readonly groups = new SpawnedGroups();
  /** One after the other: their worlds are named in the order in which they come. */
  private readonly turns = new Turns();
  /** What the launcher told the ranks that are there: a process that has ended tells nothing. */
  private readonly told = new Map<Rank, ToldPlace>();
  private readonly toldOfAbsent: ToldPlace[] = [];

  constructor(
    private readonly job: JobHost,
    private readonly pool: GdbPool,
    private readonly mpis: KnownMpis,
    /** Processes of the job that were not attached to: their worlds have names, too. */
    private readonly absent: readonly Candidate[] = [],
  ) {}

  /** Never rejects: a process that cannot come is told to the user. */
  join(host: GdbHost, pid: number, joining: Joining): Promise<void> {
    return this.turns.alone(() => this.take(host, pid, joining)).catch((error: unknown) => this.failed(pid, error));
  }

  private async take(host: GdbHost, pid: number, joining: Joining): Promise<void> {
    await this.learn();
    const process = new HostProcess(host, pid);
    const told = this.placed(await toldOf(process, this.mpis), joining);
    const slot = told.number === null ? undefined : await this.pool.addSlot(host);
    if (slot === undefined) return joining.failed();
    const rank = this.add(process, this.placeOf(told), slot);
    this.told.set(rank, told);
    await this.attachOrRemove(rank, process, slot, joining);
  }

  /** A process that could not be attached to before. Rejects with an Error whose message says why it still cannot. */
  takeUp({ host, process, place }: Candidate, joining: Joining): Promise<void> {
    return this.turns.alone(async () => {
      const slot = await this.pool.addSlot(host);
      if (slot === undefined) throw new Error('no gdb of the session is left on its host');
      await this.attachOrRemove(this.add(process, place, slot), process, slot, joining);
    });
  }

  /** A rank that was lost, whose process is there. Rejects with an Error whose message says why it still is lost. */
  takeBack(rank: Rank, host: GdbHost, joining: Joining): Promise<void> {
    return this.turns.alone(async () => {
      const { process } = rank;
      const slot = await this.pool.addSlot(host);
      if (slot === undefined || process === undefined) throw new Error('no gdb of the session is left on its host');
      this.job.returned(rank, slot.member.gdb, slot.threadGroup);
      await this.attachOr(() => this.job.notReturned(rank), rank, process, slot, joining);
    });
  }

  private add(process: HostProcess, place: RankPlace, { member, threadGroup }: Slot): Rank {
    return this.job.addRank({ ...place, host: process.host.name, process }, member.gdb, threadGroup);
  }

  private attachOrRemove(rank: Rank, process: HostProcess, slot: Slot, joining: Joining): Promise<void> {
    return this.attachOr(() => this.job.removeRank(rank), rank, process, slot, joining);
  }

  private async attachOr(
    leave: () => void,
    rank: Rank,
    process: HostProcess,
    slot: Slot,
    joining: Joining,
  ): Promise<void> {
    try {
      await this.attach(rank, process, slot, joining);
    } catch (error) {
      if (error instanceof RankEndedError) return;
      slot.member.forget(process.pid);
      leave();
      await joining.failed();
      throw error;
    }
  }

  private async attach(rank: Rank, process: HostProcess, { member }: Slot, joining: Joining): Promise<void> {
    const refusal = await refusalBefore(process);
    if (refusal !== undefined) throw new Error(refusal);
    const group = this.job.group(rank);
    member.hold(process.pid, joining.whenLost);
    await attachRank(group, rank, process.pid).catch(async (error: unknown) => {
      throw error instanceof GdbError ? new Error(await refusalAfter(process, error.message)) : error;
    });
    await recallThreads(rank);
    await joining.held(rank, member);
    await ignoreVforks(rank);
    await joining.prepare(group, rank);
    await this.job.include(rank);
    await (joining.begin?.(group, rank) ?? group.start(rank));
  }

  private placed(told: ToldPlace, { seesAll }: Joining): ToldPlace {
    if (!seesAll) return told;
    const key = told.isUnplaced ? this.groups.keyOf(told) : told.origin?.key;
    if (key === undefined) return told;
    const origins = [...this.told.values()].flatMap(({ origin }) => origin ?? []);
    const parent =
      origins.find((each) => each.key === told.origin?.parent) ?? origins.find((each) => each.parent === undefined);
    return { ...told, origin: { key, parent: parent?.key ?? 'launcher' } };
  }

  /** What the launcher has told the ranks that are there. */
  async learn(): Promise<void> {
    for (const rank of this.job.ranks) {
      const { process } = rank;
      if (process !== undefined && !this.told.has(rank)) this.told.set(rank, await toldOf(process, this.mpis));
    }
    for (const { process } of this.absent.slice(this.toldOfAbsent.length))
      this.toldOfAbsent.push(await toldOf(process, this.mpis));
    const worlds = [
      ...[...this.told].map(([{ world }, { origin }]) => ({ world, origin })),
      ...this.toldOfAbsent.map(({ origin }, index) => ({ world: this.absent[index]!.place.world, origin })),
    ];
    worlds.sort((a, b) => compareWorlds(a.world, b.world));
    this.names.add(worlds.map(({ origin }) => origin));
  }

  /** undefined: no rank that it knows is in such a world. */
  worldWhere(hasKey: (key: string) => boolean): string | undefined {
    return [...this.told].find(([, { origin }]) => origin !== undefined && hasKey(origin.key))?.[0].world;
  }

  private placeOf(told: ToldPlace): RankPlace {
    const known = [...this.told];
    const places = namedPlaces([...known.map(([, each]) => each), ...this.toldOfAbsent, told], this.names);
    const place = places.pop()!;
    if (place.hasOtherWorlds) {
      // One that has ended before the second world came is of the first.
      const worlds = known.map(([rank], index) => [rank, rank.world ?? places[index]!.world ?? ownWorld] as const);
      this.job.setWorlds(new Map(worlds));
    }
    return place;
  }

  private failed(pid: number, error: unknown): void {
    this.job.tell(`process ${pid}, which the job has started, is not in the session: ${(error as Error).message}`);
  }
}
