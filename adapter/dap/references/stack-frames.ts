/** Stacks, page by page, and the frames behind frame ids. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import type { Frame } from '../../stacks/frame';
import { framesOf, innermostFrames } from '../../stacks/gdb-stack';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { isSystemLibrary, type ThreadFrame } from '../../expressions/frames';
import type { Where } from '../../query/rank-expressions';
import { rankRuns } from '../client/errors';
import { memoryReference } from './memory-references';
import { References } from './references';
import type { SourceFiles } from './source-files';

export type FrameRef = ThreadFrame;

/**
 * In one answer, if the client asks for all: 100 000 frames of a recursion took gdb 1.1 GiB. The client sees by
 * `totalFrames` that there are more, and may ask for them.
 */
const maxFramesAtOnce = 1000;

/**
 * How many more frames are announced at least when a stack goes on. VS Code asks for one frame first, then for no more than the
 * answer had: with one more, it would show "Load More Stack Frames" below main.
 */
const furtherFrames = 20;

export class StackFrames {
  private readonly references = new References<FrameRef>();

  constructor(
    private readonly plugins: Pick<PluginRegistry, 'known' | 'libraryCode'>,
    private readonly sources: SourceFiles,
  ) {}

  /** Throws RequestError when the frame's rank has run since. */
  get(id: number): FrameRef {
    return this.references.get(id);
  }

  drop(rank: Rank): void {
    this.references.drop(rank);
    this.sources.forget();
  }

  async stackTrace(
    thread: RankThread,
    { startFrame: first = 0, levels = 0 }: DebugProtocol.StackTraceArguments,
  ): Promise<DebugProtocol.StackTraceResponse['body']> {
    // One more than asked for tells whether the stack goes on.
    const count = levels === 0 ? maxFramesAtOnce : levels;
    const frames = await framesOf(thread, first, first + count);
    if (!canBeRead(thread.rank)) throw rankRuns(thread.rank);
    return {
      stackFrames: await Promise.all(frames.slice(0, count).map((frame) => this.describe({ thread, frame }))),
      totalFrames: first + frames.length + (frames.length > count ? furtherFrames : 0),
    };
  }

  /**
   * The frame of another rank that corresponds to this one: of the same function, nearest in depth. Without one, or
   * without `like`: undefined.
   */
  async corresponding(rank: Rank, like: FrameRef | undefined): Promise<FrameRef | undefined> {
    if (like === undefined || like.thread.rank === rank) return like;
    const thread = rank.threads[like.thread.rank.threads.indexOf(like.thread)] ?? rank.threads[0];
    if (thread === undefined || like.frame.function === undefined) return undefined;
    const frames = (await innermostFrames(thread)).filter((f) => f.function === like.frame.function);
    const distance = (frame: Frame): number => Math.abs(frame.level - like.frame.level);
    const [nearest] = frames.sort((a, b) => distance(a) - distance(b));
    return nearest === undefined ? undefined : { thread, frame: nearest };
  }

  /**
   * Where the frame's thread is, in words that are equal in other ranks that are there too: the frame and, where no line
   * of it is known, its callers up to one of the program's. By its innermost function alone every system call of a C
   * library may be the same.
   */
  async standing({ thread, frame }: FrameRef): Promise<string> {
    const frames = frame.line === undefined ? await innermostFrames(thread, frame.level) : [frame];
    const known = frames.findIndex(({ line }) => line !== undefined);
    return frames
      .slice(0, known < 0 ? frames.length : known + 1)
      .map((each) => JSON.stringify([each.function, each.fullName, each.line]))
      .join();
  }

  /** The number by which clients name it. */
  idOf(ref: FrameRef): number {
    const { thread, frame } = ref;
    return this.references.give(thread.rank, `${thread.id}/${frame.level}/${nameOf(frame)}`, ref);
  }

  private async describe(ref: FrameRef): Promise<DebugProtocol.StackFrame> {
    const { thread, frame } = ref;
    const name = nameOf(frame);
    const id = this.idOf(ref);
    const common = {
      id,
      name,
      line: frame.line ?? 0,
      column: 0,
      ...(frame.address && { instructionPointerReference: memoryReference(thread.rank, frame.address) }),
    };
    const path = frame.line === undefined ? undefined : frame.fullName;
    const isForeign = path !== undefined && this.isForeign(path, frame.from);
    const source = path && (await this.sources.of(thread.rank, path, !isForeign));
    // With a source name, VS Code would try to open the missing file whenever a rank stops in it.
    if (!source) return { ...common, presentationHint: 'subtle' };
    if (isForeign) return { ...common, source: { ...source, presentationHint: 'deemphasize' } };
    return { ...common, column: 1, source };
  }

  private isForeign(path: string, from: string | undefined): boolean {
    const { known, libraryCode } = this.plugins;
    return libraryCode.holds(path) || (from !== undefined && (isSystemLibrary(from, known) || libraryCode.holds(from)));
  }
}

function nameOf({ function: name, address = 0n }: Frame): string {
  return name ?? `0x${address.toString(16)}`;
}

/** Where a query of these ranks evaluates: in the frames that correspond to `ref`, else where they choose themselves. */
export async function whereLike(
  frames: StackFrames,
  ranks: readonly Rank[],
  ref: FrameRef | undefined,
): Promise<(rank: Rank) => Where> {
  const where = new Map<Rank, Where>();
  for (const rank of ref === undefined ? [] : ranks) {
    if (!canBeRead(rank)) continue;
    const like = await frames.corresponding(rank, ref);
    if (like !== undefined) where.set(rank, { thread: like.thread, frame: like.frame.level });
  }
  return (rank) => where.get(rank) ?? {};
}
