/**
 * Handlers of MPI's libraries and of Fortran's report a signal that ends the process, and raise it again: users have seen it
 * already.
 */
import { frameRegisters } from '../../gdb/frame-registers';
import { GdbError } from '../../gdb/mi/mi-connection';
import { signalFrame } from '../../stacks/frame';
import { framesOf, innermostFrames } from '../../stacks/gdb-stack';
import { signalInfo } from '../../gdb/mi/signals';
import type { Rank, RankThread } from '../../job/rank';
import type { RankStop } from '../../job/rank-stops';
import { isFault } from '../../../plugin-api/answers/signal-words';
import type { JobQueries } from '../../query/job-queries';
import { isOfLibrary } from '../../query/positions/call-on-stack';

interface SeenSignal {
  name: string;
  thread: RankThread;
  /** The program counter and the stack pointer. */
  place: string;
}

export class RepeatedSignals {
  private readonly latest = new Map<Rank, SeenSignal>();

  constructor(private readonly queries: JobQueries) {}

  /**
   * True for one that a handler has raised again: it comes within the handler, or, where the handler blocks it, right after it,
   * where the first one came. Rejects with QueryError.
   */
  async isRepeated({ rank, thread, stop }: RankStop): Promise<boolean> {
    const name = stop.signal?.name;
    if (name === undefined || !(isFault(name) || name === 'SIGABRT')) return false;
    try {
      const [innermost] = await framesOf(thread, 0, 0);
      const place = `${innermost?.address} ${(await frameRegisters(thread, 0))?.stackPointer}`;
      const before = this.latest.get(rank);
      this.latest.set(rank, { name, thread, place });
      if (before?.name !== name || before.thread !== thread) return false;
      if (before.place !== place && !(await this.isInHandler(rank, thread))) return false;
      const info = await signalInfo(thread);
      return info !== undefined && info.code <= 0 && info.sender === rank.pid;
    } catch (error) {
      if (error instanceof GdbError) return false;
      throw error;
    }
  }

  private async isInHandler(rank: Rank, thread: RankThread): Promise<boolean> {
    const frames = await innermostFrames(thread);
    const handler = frames.findIndex((frame) => frame.function === signalFrame);
    return handler >= 0 && isOfLibrary(frames.slice(0, handler), await this.queries.of(rank).stackCode());
  }
}
