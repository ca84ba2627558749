/** Why ranks are stopping: of each, the first thread that stopped by itself. */
import type { GdbStop } from '../gdb/stop-record';
import type { Rank, RankThread, ThreadStop } from './rank';
import { stopReasonOf, type BreakpointLookup } from './stop-reason';

export interface StopCause {
  thread: RankThread;
  stop: ThreadStop;
}

export class StopCauses {
  private readonly causes = new Map<Rank, StopCause>();
  /** The address at which attaching stopped each thread that has not run since. */
  private readonly attachedAt = new Map<RankThread, string>();

  constructor(private readonly lookup: BreakpointLookup) {}

  of(rank: Rank): StopCause | undefined {
    return this.causes.get(rank);
  }

  add(cause: StopCause): void {
    if (!this.causes.has(cause.thread.rank)) this.causes.set(cause.thread.rank, cause);
  }

  /**
   * The thread that the record is about has stopped. Answers why; undefined when it was told to. 'attach': by the
   * SIGSTOP of attaching, which gdb 13 may report only when the thread first runs, before it executes one instruction.
   */
  take(thread: RankThread, stop: GdbStop): ThreadStop | 'attach' | undefined {
    const { address } = stop;
    const wasAt = this.attachedAt.get(thread);
    this.attachedAt.delete(thread);
    const reason = stopReasonOf(stop, this.lookup, thread.rank);
    const isBeingAttachedTo = thread.rank.state === 'starting';
    if (isBeingAttachedTo && address !== undefined) this.attachedAt.set(thread, address);
    const isStopSignal = reason?.signal?.name === 'SIGSTOP';
    if (isStopSignal && (isBeingAttachedTo || (wasAt !== undefined && wasAt === address))) return 'attach';
    if (reason !== undefined) this.add({ thread, stop: reason });
    return reason;
  }

  /** The rank runs, or what it has stopped for does not count. */
  clear(rank: Rank): void {
    this.causes.delete(rank);
  }

  threadEnded(thread: RankThread): void {
    this.attachedAt.delete(thread);
    if (this.causes.get(thread.rank)?.thread === thread) this.causes.delete(thread.rank);
  }
}
