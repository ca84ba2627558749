/** Asks the questions that every front end has, in a session. */
import type { Job } from '../../job/job';
import type { JobQueries } from '../../query/job-queries';
import type { ExpressionValues } from '../../query/shown/expression-values';
import type { AnswerDocument, Answered, Asked, Question } from '../../questions/question';
import type { Focus } from '../ranks/focus';
import { whereLike, type FrameRef, type StackFrames } from '../references/stack-frames';

interface Parts {
  readonly job: Job;
  readonly queries: JobQueries;
  readonly values: ExpressionValues;
  readonly focus: Focus;
  readonly frames: StackFrames;
}

/** By default of the ranks of the focus, for programs. `like`: expressions are evaluated in the frames that correspond to it. */
type Of = Partial<Pick<Asked, 'ranks' | 'isForPrograms' | 'signal' | 'onProgress'>> & { like?: FrameRef | undefined };

export class Asking {
  constructor(private readonly parts: Parts) {}

  async ask<Arguments, Answer extends AnswerDocument>(
    question: Question<Arguments, Answer>,
    args: Arguments,
    { like, ranks = this.parts.focus.ranks, isForPrograms = true, ...how }: Of = {},
  ): Promise<Answered<Answer>> {
    const { job, queries, values, frames } = this.parts;
    const where = await whereLike(frames, ranks, like);
    how.signal?.throwIfAborted();
    return question.answer(args, { ...how, job, queries, values, ranks, where, isForPrograms });
  }

  /** The document for a request. Without ranks: of the frame's rank, or of those of the focus. */
  async document<Arguments, Answer extends AnswerDocument>(
    question: Question<Arguments, Answer>,
    args: Arguments & { ranks?: string; frameId?: number },
  ): Promise<Answer> {
    const { focus, frames } = this.parts;
    const like = args.frameId === undefined ? undefined : frames.get(args.frameId);
    const ranks = focus.named(args.ranks) ?? (like && [like.thread.rank]);
    return (await this.ask(question, args, { like, ...(ranks && { ranks }) })).document;
  }
}
