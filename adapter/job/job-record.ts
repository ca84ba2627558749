/** The implementation of a job: one object, which is Job for its users and JobHost for its source. */
import { EventEmitter } from 'node:events';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Gdb } from '../gdb/gdb';
import { GdbError, GdbLostError } from '../gdb/mi/mi-connection';
import { NoPythonError } from '../gdb/python/run-python';
import type { StepKind } from '../gdb/mi/program-execution';
import type { Host } from '../hosts/host';
import { Breakpoints } from './breakpoints';
import { realClock, type Clock } from './clock';
import { Deaths } from './deaths';
import { detachRanks } from './detach';
import type { FloatTrapRequest } from './float-traps';
import { GdbRanks } from './gdb-ranks';
import { GdbSettings } from './gdb-settings';
import { LostFileNews } from './lost-files';
import type {
  AbsentRank,
  Job,
  JobEnd,
  JobEvents,
  JobHost,
  JobOutput,
  JobSource,
  StartOptions,
  UnopenedCore,
} from './job';
import { namesOf } from './names-of-ranks';
import { ProcessWatch } from './process-watch';
import type { Rank, RankIdentity, RankThread } from './rank';
import { ownRank, RankRecord } from './rank-record';
import { isNear, type RankStop } from './rank-stops';
import { chosenRanks, formatRankSet, type RanksOfWorld } from '../../plugin-api/answers/rank-set';
import { compareWorlds, ownWorld } from '../../plugin-api/mpi/worlds';

/** A job of this source: for its users, and for the source itself. */
export function newJob(source: JobSource, gdbs: readonly Gdb[], clock = realClock): { job: Job; jobHost: JobHost } {
  const record = new JobRecord(source, gdbs, clock);
  return { job: record, jobHost: record };
}

/** No two threads have one id, not even in two jobs. */
let lastThreadId = 0;

class JobRecord extends EventEmitter<JobEvents> implements Job, JobHost {
  readonly breakpoints: Breakpoints;
  readonly deaths: Deaths;
  /** Whether the stop of a rank that is about to die is shown. */
  concerns = (_: RankStop): Promise<boolean> => Promise.resolve(true);
  private readonly all: Rank[] = [];
  private notOpened: readonly UnopenedCore[] = [];
  private absentRanks: readonly AbsentRank[] = [];
  private readonly groups: GdbRanks[];
  readonly settings = new GdbSettings(
    () => this.gdbs,
    (gdb) => this.all.find((rank) => rank.gdb === gdb)?.process?.host,
  );
  private floats: FloatTrapRequest | undefined;
  private readonly processes: ProcessWatch;
  private readonly lostFiles = new LostFileNews();
  private hasEnded = false;

  constructor(
    private readonly source: JobSource,
    gdbs: readonly Gdb[],
    readonly clock: Clock,
  ) {
    super();
    const whileHeld: GdbRanks['whileHeld'] = (rank, work) => this.group(rank).whileHeld(rank, work);
    this.breakpoints = new Breakpoints(
      gdbs,
      () => this.all,
      whileHeld,
      async () => void (await Promise.all(this.groups.map((group) => group.reviewSymbols()))),
    );
    this.deaths = new Deaths(gdbs, this.plugins.known, () => this.all, whileHeld);
    this.on('continued', (rank) => this.deaths.continued(rank));
    this.on('rankEnded', (rank) => {
      this.deaths.ended(rank);
      if (rank.state === 'lost') this.processes.watchAgain([rank]);
    });
    this.groups = gdbs.map((gdb) => this.watch(gdb));
    this.breakpoints.on('unplaced', () => {
      for (const group of this.groups) void group.glance();
    });
    this.processes = new ProcessWatch(
      () => this.all,
      {
        missed: (rank, end) => this.group(rank).gone(rank, end),
        runFree: (ranks) => this.runFree(ranks),
        endedFree: (rank, end) => rank.isAway && this.group(rank).endedAway(rank, end),
      },
      clock,
    );
  }

  get gdbs(): readonly Gdb[] {
    return this.groups.flatMap(({ gdb }) => (gdb.isClosed ? [] : [gdb]));
  }

  get plugins(): PluginRegistry {
    return this.source.plugins;
  }

  get kind(): JobSource['kind'] {
    return this.source.kind;
  }

  get unopened(): readonly UnopenedCore[] {
    return this.notOpened;
  }

  get absent(): readonly AbsentRank[] {
    return this.absentRanks;
  }

  get ranks(): readonly Rank[] {
    return this.all;
  }

  get threads(): readonly RankThread[] {
    return this.all.flatMap((rank) => rank.threads);
  }

  thread(id: number): RankThread | undefined {
    return this.threads.find((thread) => thread.id === id);
  }

  addRank(identity: RankIdentity, gdb: Gdb, threadGroup: string): Rank {
    const rank = new RankRecord(identity, gdb, threadGroup);
    this.group(rank).add(rank);
    this.all.push(rank);
    this.sort();
    return rank;
  }

  setWorlds(worlds: ReadonlyMap<Rank, string | undefined>): void {
    for (const [rank, world] of worlds) {
      const record = ownRank(rank);
      record.world = world;
      record.hasOtherWorlds = true;
    }
    this.sort();
  }

  private sort(): void {
    this.all.sort(
      (a, b) =>
        compareWorlds(a.world ?? ownWorld, b.world ?? ownWorld) ||
        (a.number ?? Infinity) - (b.number ?? Infinity) ||
        (a.pid ?? 0) - (b.pid ?? 0),
    );
  }

  removeRank(rank: Rank): void {
    this.group(rank).remove(rank);
    this.all.splice(this.all.indexOf(rank), 1);
  }

  async addGdb(gdb: Gdb, host: Host): Promise<void> {
    this.breakpoints.add(gdb);
    this.deaths.add(gdb);
    this.groups.push(this.watch(gdb));
    await this.settings.tell(gdb, host);
  }

  returned(rank: Rank, gdb: Gdb, threadGroup: string): void {
    const before = this.group(rank);
    before.remove(rank);
    ownRank(rank).return(gdb, threadGroup);
    const now = this.group(rank);
    now.add(ownRank(rank));
    now.floatTraps.takeOver(rank, before.floatTraps);
    this.emit('rankReturned', rank);
  }

  notReturned(rank: Rank): void {
    this.group(rank).remove(rank);
    ownRank(rank).state = 'lost';
  }

  awaitReturn(ranks: readonly Rank[]): void {
    this.processes.watchAgain(ranks);
  }

  async include(rank: Rank): Promise<void> {
    await this.breakpoints.include(rank);
    if (!rank.hasReturned) return;
    await this.deaths.include(rank).catch(unlessWithoutPython);
    if (this.floats !== undefined) await this.group(rank).floatTraps.request([rank], this.floats);
  }

  select(ranks?: readonly RanksOfWorld[]): readonly Rank[] {
    return chosenRanks(this.all, { ranks }, (missing, present, world) => {
      const absent = this.absentRanks.find((each) => each.number === missing && (each.world ?? ownWorld) === world);
      if (absent?.refused !== undefined) return `rank ${missing} is not in this session: ${absent.refused}`;
      const has = present.length === 0 ? 'no rank whose number is known' : `ranks ${formatRankSet(present)}`;
      return `rank ${missing} is not in this job, which has ${has}`;
    });
  }

  start(options: StartOptions): Promise<void> {
    return this.source.start(options);
  }

  async continue(ranks: readonly Rank[]): Promise<void> {
    await this.seeLibraries(ranks);
    await this.inEach(ranks, 'stopped', (rank) => this.group(rank).continue(rank));
  }

  async step(ranks: readonly Rank[], kind: StepKind, thread?: RankThread): Promise<void> {
    await this.seeLibraries(ranks.filter(isNear));
    await this.inEach(ranks, 'stopped', async (rank) => {
      const stepping = thread?.rank === rank ? thread : (rank.current ?? rank.threads[0]);
      if (stepping !== undefined) await this.group(rank).step(stepping, kind);
    });
  }

  async continueThread(thread: RankThread): Promise<void> {
    await this.seeLibraries([thread.rank]);
    await this.inEach([thread.rank], 'stopped', (rank) => this.group(rank).continueAlone(thread));
  }

  async stepThread(thread: RankThread, kind: StepKind): Promise<void> {
    await this.seeLibraries([thread.rank].filter(isNear));
    await this.inEach([thread.rank], 'stopped', (rank) => this.group(rank).stepAlone(thread, kind));
  }

  async interrupt(ranks: readonly Rank[]): Promise<void> {
    await this.inEach(ranks, 'running', (rank) => this.group(rank).interrupt(rank));
  }

  async trapFloats(request: FloatTrapRequest): Promise<string | undefined> {
    this.floats = request;
    const failures = await Promise.all(this.groups.map((group) => group.floatTraps.request(group.ranks, request)));
    return failures.find((failure) => failure !== undefined);
  }

  async release(leaveRunning = false): Promise<void> {
    for (const group of this.groups) group.release();
    await this.source.release(leaveRunning);
    this.ended({});
  }

  commandRan(rank: Rank): void {
    this.group(rank).commandRan();
  }

  async detachAll(whenHeld?: (rank: Rank) => Promise<void>): Promise<void> {
    for (const group of this.groups) group.release();
    await Promise.all(this.groups.map((group) => detachRanks(group, whenHeld)));
  }

  /** Before these ranks run: libraries may bring the code that breakpoints wait for, or be other ones by now. */
  private async seeLibraries(ranks: readonly Rank[]): Promise<void> {
    await this.reviewSymbols(ranks);
    if (!this.breakpoints.anyPending) return;
    await Promise.all(this.groups.map((group) => group.loadSymbolsOfLibrariesAtOnce()));
  }

  async reviewSymbols(ranks: readonly Rank[]): Promise<readonly Rank[]> {
    const stopped = ranks.filter(({ state }) => state === 'stopped');
    const reviewed = await Promise.all(
      this.groups.map((group) => group.reviewSymbols(stopped.filter((rank) => rank.gdb === group.gdb))),
    );
    return reviewed.flat();
  }

  group(of: Rank): GdbRanks {
    const found = this.groups.find((group) => group.gdb === of.gdb);
    if (found === undefined) throw new Error(`${of.label} is in no gdb of this job`);
    return found;
  }

  holdOutput(until: Promise<void>): void {
    this.source.holdOutput?.(until);
  }

  async reportsWatchpoints(rank: Rank): Promise<boolean | undefined> {
    return this.source.reportsWatchpoints?.(rank);
  }

  setUnopened(cores: readonly UnopenedCore[]): void {
    this.notOpened = cores;
  }

  setAbsent(ranks: readonly AbsentRank[]): void {
    this.absentRanks = ranks;
  }

  tell(message: string): void {
    this.emit('message', message);
  }

  printed(output: JobOutput): void {
    this.emit('output', output);
  }

  ended(end: JobEnd): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.processes.stop();
    this.emit('ended', end);
  }

  private runFree(ranks: readonly Rank[]): void {
    const away = ranks.filter(({ isAway }) => isAway);
    if (away.length > 0 && this.source.takeBack !== undefined) void this.source.takeBack(away);
    const others = ranks.filter((rank) => !away.includes(rank));
    if (others.length > 0)
      this.emit('message', `${namesOf(others)} on ${others[0]!.host}: ${wordsOfFree(others.length)}`);
  }

  private watch(gdb: Gdb): GdbRanks {
    const group = new GdbRanks(
      gdb,
      {
        breakpoint: (number) => this.breakpoints.byNumber(gdb, number),
        death: (thread) => this.deaths.take(gdb, thread),
      },
      () => ++lastThreadId,
      this.plugins,
      (stop) => this.concerns(stop),
      this.clock,
    );
    gdb.on('closed', (how) => this.gdbClosed(group, how));
    group.on('stopped', (stop) => this.emit('stopped', stop));
    group.on('continued', (rank) => this.emit('continued', rank));
    group.on('threadStarted', (thread) => this.emit('threadStarted', thread));
    group.on('threadEnded', (thread) => this.emit('threadEnded', thread));
    group.on('rankEnded', (rank) => this.emit('rankEnded', rank));
    group.on('lostFiles', (files) => {
      for (const text of this.lostFiles.of(files)) this.emit('message', text);
    });
    group.on('failed', (rank, why) => this.emit('message', `${rank.label}: ${why}`));
    return group;
  }

  /** Its ranks have been told as lost already, when that was not intended. */
  private gdbClosed(group: GdbRanks, how: string): void {
    const lost = group.ranks.filter(({ state }) => state === 'lost');
    if (lost.length === 0) return;
    const them = lost.length === 1 ? 'it does' : 'they do';
    this.emit('message', `gdb of ${namesOf(lost)} ${how}: mpidbg can no longer tell what ${them}`);
  }

  /**
   * Acts on all ranks at once. One rank's failure never fails the others: it is reported as a message. Rejects with
   * GdbError when gdb refused it for every one of them.
   */
  private async inEach(
    ranks: readonly Rank[],
    state: Rank['state'],
    act: (rank: Rank) => Promise<void>,
  ): Promise<void> {
    const chosen = ranks.filter((rank) => rank.state === state);
    const failures: { rank: Rank; error: unknown }[] = [];
    await Promise.all(chosen.map((rank) => act(rank).catch((error: unknown) => failures.push({ rank, error }))));
    const refusals = failures.filter(({ error }) => error instanceof GdbError && !(error instanceof GdbLostError));
    if (chosen.length > 0 && refusals.length === chosen.length) throw refusals[0]?.error;
    for (const { rank, error } of failures) {
      // A lost gdb reports the end of its ranks itself.
      if (error instanceof GdbLostError) continue;
      this.emit('message', `${rank.label}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** The user was told so when they asked for what needs Python. */
function unlessWithoutPython(error: unknown): void {
  if (!(error instanceof NoPythonError)) throw error;
}

function wordsOfFree(count: number): string {
  return count === 1
    ? 'it runs without a debugger now, and can be attached to'
    : 'they run without a debugger now, and can be attached to';
}
