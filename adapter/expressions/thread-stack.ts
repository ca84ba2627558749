/** The frames of threads and the names in them, each asked for once: for one command, in which nothing runs. */
import { stackListNames } from '../gdb/mi/stack-manipulation';
import { maxFrames, type Frame } from '../stacks/frame';
import { framesOf } from '../stacks/gdb-stack';
import type { RankThread } from '../job/rank';

export class ThreadStack {
  private listed: Promise<{ frames: Frame[]; isCut: boolean }> | undefined;
  private readonly named = new Map<number, Promise<string[]>>();

  constructor(readonly thread: RankThread) {}

  /** Innermost first. `isCut`: the stack goes on. Rejects with GdbError. */
  frames(): Promise<{ frames: Frame[]; isCut: boolean }> {
    return (this.listed ??= this.list());
  }

  /** However deep it lies; undefined: the stack has no such frame. Rejects with GdbError. */
  async frame(level: number): Promise<Frame | undefined> {
    if (level < maxFrames) return (await this.frames()).frames[level];
    return (await framesOf(this.thread, level, level))[0];
  }

  private async list(): Promise<{ frames: Frame[]; isCut: boolean }> {
    // One more tells whether the stack goes on.
    const found = await framesOf(this.thread, 0, maxFrames);
    const frames = found.slice(0, maxFrames);
    return { frames, isCut: found.length > frames.length };
  }

  /** Arguments and locals of the frame, inner blocks first. Rejects with GdbError. */
  names({ level }: Frame): Promise<string[]> {
    let names = this.named.get(level);
    if (names === undefined) this.named.set(level, (names = stackListNames(this.thread, level)));
    return names;
  }
}

export class ThreadStacks {
  private readonly stacks = new Map<RankThread, ThreadStack>();

  of(thread: RankThread): ThreadStack {
    let stack = this.stacks.get(thread);
    if (stack === undefined) this.stacks.set(thread, (stack = new ThreadStack(thread)));
    return stack;
  }
}
