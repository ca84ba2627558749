/**
 * Sees ends of ranks that gdb does not tell. When a launcher kills its other ranks at once, and gdb 13 works on one of
 * them in that moment, it forgets some of their ends ("Cannot find user-level thread for LWP …", seen in every second
 * crash before MPI_Init under MPICH 4.0.2), or even runs in circles from then on.
 */
import { readFileSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import type { CallOff, Clock } from './clock';
import type { Rank, RankEnd } from './rank';

/** Milliseconds. gdb is late when a process is gone at two looks. */
const interval = 500;

export class ProcessWatch {
  private readonly startTimes = new Map<Rank, string>();
  private readonly gone = new Set<Rank>();
  private callOff: CallOff;

  /** `missed` is called for a rank that has ended without gdb's telling, with as much as the system knows of its end. */
  constructor(
    private readonly ranks: () => readonly Rank[],
    private readonly missed: (rank: Rank, end: RankEnd) => void,
    private readonly clock: Clock,
  ) {
    this.callOff = clock.after(interval, () => this.look());
  }

  stop(): void {
    this.callOff();
  }

  private look(): void {
    this.callOff = this.clock.after(interval, () => this.look());
    for (const rank of this.ranks()) {
      if (!rank.alive || rank.core !== undefined || rank.pid === undefined || rank.host !== hostname()) continue;
      const process = statusOf(rank.pid);
      const startTime = this.startTimes.get(rank) ?? process?.startTime;
      if (startTime !== undefined) this.startTimes.set(rank, startTime);
      // A later process may have the same pid.
      const isThere = process !== undefined && process.end === undefined && process.startTime === startTime;
      if (isThere) this.gone.delete(rank);
      else if (this.gone.has(rank)) this.missed(rank, process?.end ?? {});
      else this.gone.add(rank);
    }
  }
}

/** end: there for a process that has ended and that nobody has waited for. Undefined: there is no such process. */
function statusOf(pid: number): { startTime: string; end: RankEnd | undefined } | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may hold anything; the fields behind it are numbers, but for the first.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const status = Number(fields[49]);
  const ended = fields[0] === 'Z' || fields[0] === 'X';
  return { startTime: fields[19] ?? '', end: ended ? endOf(status) : undefined };
}

/** A status as wait(2) gives it. */
function endOf(status: number): RankEnd {
  const number = status & 127;
  if (number === 0) return { exitCode: status >> 8 };
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { signal: signal ?? `signal ${number}` };
}
