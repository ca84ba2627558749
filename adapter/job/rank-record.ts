/** Ranks and threads as this folder writes them: others only see Rank and RankThread. */
import type { Gdb } from '../gdb/gdb';
import type { HostProcess } from '../hosts/host-process';
import type { CoreImage } from '../images/core/core-image';
import { ownWorld } from '../../plugin-api/mpi/worlds';
import type { LoadedFile } from '../images/live/symbol-files';
import type { LostFile, Rank, RankEnd, RankIdentity, RankState, RankThread, ThreadRole, ThreadStop } from './rank';

export class ThreadRecord implements RankThread {
  state: 'running' | 'stopped' = 'running';
  role: ThreadRole | undefined;
  stop: ThreadStop | undefined;
  /** The kernel's number of it; undefined: not known (yet). */
  tid: number | undefined;

  constructor(
    public id: number,
    readonly rank: RankRecord,
    readonly gdbThread: number,
  ) {}

  get gdb(): Gdb {
    return this.rank.gdb;
  }

  get whyNoValues(): string | undefined {
    return this.rank.image?.whyNoValues;
  }
}

export class RankRecord implements Rank {
  readonly number: number | null;
  readonly isFromFileName: boolean;
  readonly host: string;
  readonly pid: number | undefined;
  readonly process: HostProcess | undefined;
  readonly core: string | undefined;
  readonly image: CoreImage | undefined;
  readonly worldSize: number | undefined;
  world: string | undefined;
  hasOtherWorlds: boolean;
  readonly foundAs: string | undefined;
  loadedFiles: readonly LoadedFile[] | undefined;
  lostFiles: readonly LostFile[] = [];
  seesLoads = true;
  state: RankState = 'starting';
  end: RankEnd | undefined;
  isAway = false;
  /** Those that it had when it was lost, the first one first. */
  lostThreads: readonly Pick<ThreadRecord, 'id' | 'tid'>[] = [];
  hasReturned = false;
  readonly threads: ThreadRecord[] = [];
  current: ThreadRecord | undefined;

  constructor(
    identity: RankIdentity,
    public gdb: Gdb,
    /** gdb's name of the inferior, "i1". */
    public threadGroup: string,
  ) {
    this.number = identity.number;
    this.isFromFileName = identity.isFromFileName ?? false;
    this.host = identity.host;
    this.pid = identity.pid;
    this.process = identity.process;
    this.core = identity.core;
    this.image = identity.image;
    this.worldSize = identity.worldSize;
    this.world = identity.world;
    this.hasOtherWorlds = identity.hasOtherWorlds ?? false;
    this.foundAs = identity.foundAs;
  }

  /** Another gdb is about to take its process, as it is. */
  return(gdb: Gdb, threadGroup: string): void {
    this.gdb = gdb;
    this.threadGroup = threadGroup;
    this.state = 'starting';
    this.end = undefined;
    this.loadedFiles = undefined;
    this.lostFiles = [];
    this.seesLoads = true;
    this.hasReturned = true;
  }

  get label(): string {
    if (this.number === null) return `process ${this.pid ?? this.core ?? this.threadGroup}`;
    const world = this.world === undefined || this.world === ownWorld ? '' : ` of world ${this.world}`;
    return `rank ${this.number}${world}${this.isFromFileName ? ' (from the file name)' : ''}`;
  }

  get alive(): boolean {
    return this.state === 'running' || this.state === 'stopped' || this.state === 'starting';
  }

  get isHeld(): boolean {
    return this.threads.length > 0 && this.threads.every((thread) => thread.state === 'stopped');
  }
}

/** Every Rank is one of these. */
export function ownRank(rank: Rank): RankRecord {
  if (rank instanceof RankRecord) return rank;
  throw new Error(`${rank.label} belongs to no job`);
}

/** Every RankThread is one of these. */
export function ownThread(thread: RankThread): ThreadRecord {
  if (thread instanceof ThreadRecord) return thread;
  throw new Error(`thread ${thread.id} belongs to no job`);
}
