/** Processes of a job that cannot be attached to at the moment: a session takes them up later. */
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import { inWorld } from '../../plugin-api/mpi/worlds';
import type { GdbHost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { refusalBefore } from '../hosts/ptrace-refusal';
import type { CallOff, Clock } from '../job/clock';
import type { AbsentRank } from '../job/job';
import type { RankPlace } from '../launchers/rank-places';

/** A process of the job that can be attached to, as far as anybody can see. */
export interface Candidate {
  host: GdbHost;
  process: HostProcess;
  place: RankPlace;
}

export interface Refused extends Candidate {
  /** One sentence. */
  why: string;
  /** Tells the process from a later one with the same pid; undefined: it is gone, or only trying to attach can tell more. */
  startTime: string | undefined;
}

export function absentRank({ process, place, why }: Refused): AbsentRank {
  return { ...place, host: process.host.name, pid: process.pid, refused: why };
}

/** "rank 3", or "process 4711" where the rank is not known. */
export function nameOfRefused({ process, place: { number, world } }: Refused): string {
  return number === null ? `process ${process.pid}` : namedRanks(inWorld(world, String(number)));
}

/** Nothing is done to the processes. */
export async function sorted(
  targets: readonly { host: GdbHost; pid: number; place: RankPlace }[],
): Promise<{ free: Candidate[]; refused: Refused[] }> {
  const free: Candidate[] = [];
  const refused: Refused[] = [];
  const candidates = targets.map(({ host, pid, place }) => ({ host, process: new HostProcess(host, pid), place }));
  const reasons = await Promise.all(candidates.map(({ process }) => refusalBefore(process)));
  const startTimes = await Promise.all(candidates.map(({ process }) => startTimeOf(process)));
  for (const [index, candidate] of candidates.entries()) {
    const why = reasons[index];
    if (why === undefined) free.push(candidate);
    else refused.push({ ...candidate, why, startTime: startTimes[index] });
  }
  return { free, refused };
}

/** undefined: it has ended. */
export async function startTimeOf(process: HostProcess): Promise<string | undefined> {
  const life = await process.life().catch(() => undefined);
  return life === undefined || life.endStatus !== undefined ? undefined : life.startTime;
}

/** Milliseconds. A look reads a few small files of the kernel. */
const interval = 500;

/** Looks again and again whether a process can be attached to, and hands it over once. */
export class RefusedWatch {
  private waiting: readonly Refused[];
  private callOff: CallOff = () => undefined;
  private hasStopped = false;

  constructor(
    refused: readonly Refused[],
    private readonly clock: Clock,
    private readonly free: (process: Refused) => Promise<unknown>,
  ) {
    this.waiting = refused.filter(({ startTime }) => startTime !== undefined);
  }

  start(): void {
    if (this.hasStopped || this.waiting.length === 0) return;
    this.callOff = this.clock.after(interval, () => void this.look().then(() => this.start()));
  }

  stop(): void {
    this.hasStopped = true;
    this.callOff();
  }

  private async look(): Promise<void> {
    for (const one of this.waiting) {
      const isSame = (await startTimeOf(one.process)) === one.startTime;
      if (isSame && !(await isFree(one.process))) continue;
      this.waiting = this.waiting.filter((each) => each !== one);
      if (isSame && !this.hasStopped) await this.free(one);
    }
  }
}

/** One that somebody has stopped on purpose is left to them. */
async function isFree(process: HostProcess): Promise<boolean> {
  const status = await process.status();
  if (status === undefined || /^[Tt]/.test(status.state)) return false;
  return (await refusalBefore(process)) === undefined;
}
