/** Waits for ranks that are about to die, and looks at the whole job while it still stands. */
import type { Death, FloatKind } from '../../../plugin-api/deaths/death';
import { lentLibraries } from '../../collector/lent-libraries';
import { deathsLibrary, deathsVariables, preloading } from '../../collector/preload';
import { ShortageError } from '../../elf/shortage-error';
import { localHost } from '../../hosts/local-host';
import type { DeathLook } from '../../query/deaths/death-look';
import { pythonFrames, type RankDeath } from '../../../plugin-api/deaths/rank-death';
import type { MemoryKills } from '../../hosts/memory-kills';
import { withinTime } from '../../hosts/time-limit';
import { pluginsWhenNeeded } from '../../query/plugins-when-needed';
import { CarriedWatch } from './carried-watch';
import { DeathDoor, type Announced } from './death-door';
import { DiedJobs, type Died } from './died-jobs';
import type { HostsOfRun, RankEquipment } from './hosts-of-run';
import type { LookTurns } from './look-turns';
import { RankEnds } from './rank-ends';
import type { StopWatch } from './stop-watch';
import type { UserLauncher } from './user-launcher';

export interface DeathWatchOptions {
  /** Seconds, that a rank waits with its end at most. */
  patience: number;
  /** Seconds, that it waits with its end besides when the job has been looked at. */
  hold: number;
  trapFloats: readonly FloatKind[];
  /** They are told, and the ranks go on. */
  floatsGoOn: boolean;
  gdb: string | undefined;
  plugins: readonly string[];
  libraryCode: readonly string[];
  turns: LookTurns;
  /** Ranks may be started in containers. */
  inContainers: boolean;
  /** The hosts of a job that is to run on several. */
  hosts: HostsOfRun | undefined;
  /** Undefined: ranks are to wait nowhere. */
  stops: StopWatch | undefined;
  /** Learns of the control groups of ranks. */
  kills: Pick<MemoryKills, 'addGroupOf'>;
}

/** Ranks whose first NaN or infinity is looked at where they go on; others are let go at once. */
const maxMade = 8;

/** Milliseconds in which what is held is let go. */
const releasing = 1000;

/** `ending`: aborted when somebody has asked the job to end. */
export type WatchedLauncher = Pick<UserLauncher, 'pid' | 'ending'>;

/** The process goes on dying. */
export type LetGo = (death: Death) => void;

export interface DeathListener {
  /** Asks for more while the ranks that die still wait, except those that it lets go. */
  ask: (look: DeathLook, letGo: LetGo, signal: AbortSignal) => Promise<Died>;
  /** While this has not settled, ranks that are about to die wait. */
  hold: (died: Died) => Promise<void>;
  /** Something of ours has failed: less is told, and the job goes on as it would have. */
  onInternalError: (error: unknown) => void;
  /** The launcher has not ended long after its rank went on dying. */
  onStuck: (died: Died) => void;
}

/** Milliseconds; launchers send a second signal after one. */
const maxEnding = 15_000;

export class DeathWatch {
  private launcher: WatchedLauncher | undefined;
  private listener: DeathListener | undefined;
  private stuck: NodeJS.Timeout | undefined;
  private readonly waiting = new Set<Announced>();
  private readonly making = new Set<Announced>();
  private readonly madeBy: RankDeath[] = [];
  private looking: Promise<void> | undefined;
  private readonly jobs = new DiedJobs();
  private isHolding = false;
  /** The ends of ranks that cannot announce them. */
  readonly ends = new RankEnds();
  /** Reports of NaN and infinities. */
  readonly carried: CarriedWatch;

  private constructor(
    private readonly options: DeathWatchOptions,
    private readonly door: DeathDoor | undefined,
    /** To add to the launcher's, for ranks that run on its host. */
    readonly environment: Readonly<Record<string, string>>,
    /** Why no death can be seen: the end of a sentence. */
    readonly whyBlind?: string,
  ) {
    this.carried = new CarriedWatch(options);
    if (door === undefined) return;
    door.onCarried = (record, from, letGo) => this.carried.told(record, from, letGo);
    door.onStop = (by) => (options.stops === undefined ? by.answer('') : options.stops.told(by));
    door.onAnnounced = (by) => this.announced(by);
    door.onBegun = async (begun, from) => {
      const learned = from.host === localHost ? options.kills.addGroupOf(begun.pid) : undefined;
      await Promise.all([this.ends.begun(begun, from), learned, this.leaveDiedJob()]).catch(this.failed);
    };
  }

  /** `environment`: what the launcher's is made of. `collector`: what ranks get besides. A job runs without this, too. */
  static async open(
    options: DeathWatchOptions,
    environment: NodeJS.ProcessEnv,
    collector: Pick<RankEquipment, 'libraries'> & { variables: Readonly<Record<string, string>> },
  ): Promise<DeathWatch> {
    const { patience, hold, trapFloats, floatsGoOn, inContainers, hosts, stops } = options;
    const asked = { seconds: patience + hold, trapFloats, floatsGoOn, stops: stops !== undefined };
    const lent = (libraries: readonly string[]): readonly string[] =>
      inContainers && libraries.length > 0 ? lentLibraries(libraries) : libraries;
    const equipped = (libraries: readonly string[], variables: Readonly<Record<string, string>>) =>
      libraries.length === 0 ? {} : { ...preloading(libraries, environment), ...variables };
    try {
      const door = await DeathDoor.open({ inContainers });
      const libraries = lent([deathsLibrary(), ...collector.libraries]);
      const deaths = (socket: string) => deathsVariables({ socket, ...asked }, environment);
      if (hosts === undefined)
        return new DeathWatch(options, door, equipped(libraries, { ...collector.variables, ...deaths(door.path) }));
      const equipment: RankEquipment = {
        libraries,
        variables: (socket) => ({ ...collector.variables, ...(socket === undefined ? {} : deaths(socket)) }),
      };
      hosts.serve(equipment, door);
      return new DeathWatch(options, door, {});
    } catch (error) {
      const libraries = lent(collector.libraries);
      hosts?.serve({ libraries, variables: () => collector.variables }, undefined);
      const local = hosts === undefined ? equipped(libraries, collector.variables) : {};
      return new DeathWatch(options, undefined, local, (error as Error).message);
    }
  }

  /** The ranks below this launcher. */
  watch(launcher: WatchedLauncher, listener: DeathListener): void {
    this.launcher = launcher;
    this.listener = listener;
  }

  /** A rank has been seen to die, or that one did was too late to be seen. */
  get hasFound(): boolean {
    return this.jobs.last !== undefined;
  }

  /** When the launcher has ended. */
  async result(): Promise<DiedJobs> {
    await this.looking;
    clearTimeout(this.stuck);
    this.door?.close();
    return this.jobs;
  }

  private async leaveDiedJob(): Promise<void> {
    if (!this.isHolding && (await this.jobs.leave())) clearTimeout(this.stuck);
  }

  /** Operations that made a NaN or an infinity, of ranks that went on, the first one first. To be asked for when the launcher has ended. */
  get made(): readonly RankDeath[] {
    return this.madeBy.toSorted(({ death: a }, { death: b }) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  }

  /** Those that die once others have been seen to are followers, as far as anybody can tell. */
  private announced(by: Announced): void {
    const { pid, ending } = this.launcher ?? {};
    const isOver = this.hasFound && (!this.isHolding || by.death.goesOn);
    const isTooLate = isOver || ending?.aborted === true;
    if (isTooLate || pid === undefined || this.door === undefined) return by.letGo();
    if (!by.death.goesOn) this.waiting.add(by);
    else if (this.making.size + this.madeBy.length < maxMade) this.making.add(by);
    else return by.letGo();
    this.looking ??= this.lookAtAll(pid, this.door.path).finally(() => (this.looking = undefined));
  }

  private readonly failed = (error: unknown): void => this.listener?.onInternalError(error);

  /** Never rejects. */
  private async lookAtAll(launcherPid: number, socket: string): Promise<void> {
    while (this.making.size > 0 || this.waiting.size > 0)
      await (this.making.size > 0 ? this.lookAtMade(launcherPid, socket) : this.look(launcherPid, socket));
  }

  /** For what needs ranks that wait since now. */
  private limit(): () => { milliseconds: number; late: () => Error; patience: number } {
    const end = performance.now() + this.options.patience * 1000 - releasing;
    return () => ({
      milliseconds: Math.max(releasing, end - performance.now()),
      late: () => new LateError(),
      patience: releasing,
    });
  }

  /** Those that go on. */
  private async lookAtMade(launcherPid: number, socket: string): Promise<void> {
    const asked = [...this.making];
    const limit = this.limit();
    let look: DeathLook | undefined;
    try {
      look = await this.lookAt(launcherPid, socket, () => asked, limit);
      const letGo: LetGo = (death) => asked.find((each) => each.death === death)?.letGo();
      const { listener } = this;
      if (look !== undefined && listener !== undefined) {
        const seen = look;
        ({ look } = await withinTime(limit(), (signal) => listener.ask(seen, letGo, signal)));
      }
    } catch (error) {
      look ??= this.unseen(asked, this.whyUnread(error))?.look;
    } finally {
      for (const each of asked) {
        each.letGo();
        this.making.delete(each);
      }
    }
    this.madeBy.push(...(look?.deaths ?? []));
  }

  /** Rejects with LateError. undefined: no rank is among them. */
  private async lookAt(
    launcherPid: number,
    socket: string,
    deaths: () => readonly Announced[],
    limit: ReturnType<DeathWatch['limit']>,
  ): Promise<DeathLook | undefined> {
    const { gdb = 'gdb', plugins, libraryCode, turns, hosts } = this.options;
    let looking: Promise<DeathLook | undefined> = Promise.resolve(undefined);
    await withinTime(limit(), async (signal) => {
      // All that a look needs is loaded when there is something to look at: a job that goes well starts as if alone.
      const { lookAtDeaths } = await import('../../query/deaths/death-look.js');
      const registry = await pluginsWhenNeeded(plugins, libraryCode);
      const ranks = hosts && (() => hosts.find(registry));
      const options = { launcherPid, ranks, socket, plugins: registry, gdb };
      await turns.takeFirst(
        signal,
        () =>
          new Promise<void>((resolve, reject) => {
            looking = lookAtDeaths({ ...options, onRead: resolve }, deaths, signal);
            looking.then(() => resolve(), reject);
          }),
      );
    });
    // The lines of what has been read need no rank, and may take as long as they like.
    return looking;
  }

  private async look(launcherPid: number, socket: string): Promise<void> {
    const limit = this.limit();
    const asked: Announced[] = [];
    const deaths = () => {
      for (const each of this.waiting) if (!asked.includes(each)) asked.push(each);
      return asked;
    };
    try {
      const look = await this.lookAt(launcherPid, socket, deaths, limit);
      // A rank that ends before the look begins is not found by it.
      const gone = look === undefined ? deaths().filter(({ isGone }) => isGone()) : [];
      this.jobs.last ??= this.unseen(gone, 'those that died had ended before');
      if (look !== undefined) {
        const { command } = await this.jobs.learn(look, launcherPid);
        const letGo: LetGo = (death) => asked.find((each) => each.death === death)?.letGo();
        const { listener } = this;
        if (listener !== undefined)
          this.jobs.last = { ...(await withinTime(limit(), (signal) => listener.ask(look, letGo, signal))), command };
      }
    } catch (error) {
      this.jobs.last ??= this.unseen(deaths(), this.whyUnread(error));
    } finally {
      await this.hold().catch(this.failed);
      // Processes that are no ranks go alone: a rank may have announced itself meanwhile.
      for (const each of this.jobs.last === undefined ? asked : this.waiting) {
        each.letGo();
        this.waiting.delete(each);
      }
    }
    const { listener } = this;
    const found = this.jobs.last;
    if (found !== undefined) this.stuck = setTimeout(() => listener?.onStuck(found), maxEnding);
  }

  private async hold(): Promise<void> {
    if (this.jobs.last === undefined || this.listener === undefined) return;
    this.isHolding = true;
    try {
      await this.listener.hold(this.jobs.last);
    } finally {
      this.isHolding = false;
    }
  }

  /** What they have told themselves. What a rank has started has the rank's variables, too: without a look it is not known which of them is the rank. */
  private unseen(dying: readonly Announced[], unread: string): Died | undefined {
    const deaths = dying.flatMap(({ host, death }): RankDeath[] => {
      if (death.rank === undefined) return [];
      const rank = this.ends.isOneProcess(host, death.rank) ? death.rank : null;
      return [{ id: { rank, host: host.name, pid: death.pid }, death, frames: pythonFrames(death) }];
    });
    if (deaths.length === 0) return undefined;
    return { look: { deaths, states: [], held: 0, stacks: undefined, unread }, report: undefined };
  }

  /** Why ranks that waited could not be read: the end of a sentence. */
  private whyUnread(error: unknown): string {
    if (error instanceof LateError)
      return `there was not enough time in the ${this.options.patience} s that they wait (--hold-dying)`;
    if (error instanceof ShortageError) return error.message;
    this.failed(error);
    return 'mpidbg has failed';
  }
}

class LateError extends Error {}
