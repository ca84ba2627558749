/** Evaluating in the frame that knows the names of an expression. */
import { QueryError } from '../../plugin-api/result';
import type { ProcessCode } from '../expressions/code-modules';
import { freeNames } from '../expressions/expression';
import { framesToTry, languageOf, type FrameChoice } from '../expressions/frames';
import { namesElsewhere } from '../gdb/names-elsewhere';
import type { ThreadStack } from '../expressions/thread-stack';
import { WouldChangeError } from '../gdb/mi/read-only';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Frame } from '../stacks/frame';
import { inLostFiles } from '../job/lost-files';
import { notStopped, whereLooked, wordsOf } from './why-no-answer';

/** Where an expression is to be evaluated. */
interface Search {
  stack: ThreadStack;
  code: ProcessCode;
  /** Undefined: the innermost frame of the program that knows the names, see framesToTry. */
  choice: FrameChoice | undefined;
}

/** No frame could evaluate the expression. `words`: why, without where it was looked. */
export class NotKnownError extends QueryError {
  constructor(
    readonly words: string,
    where: string,
  ) {
    super('MPIDBG_ERR_UNAVAILABLE', `${words} (${where})`);
  }
}

/** Why a value is not shown that gdb knows, but of which it does not read so much at once. */
export const tooLong = 'it is longer than gdb reads at once: ask for fewer elements of it';

export class TooLongError extends QueryError {
  constructor() {
    super('MPIDBG_ERR_OUT_OF_RANGE', tooLong);
  }
}

/**
 * What `evaluate` makes of the expression in the first frame where gdb does not reject it. Rejects with NotKnownError,
 * NoFrameError, TooLongError, WouldChangeError, and with what `evaluate` rejects with other than gdb's errors.
 */
export async function inFrameOf<Result>(
  source: string,
  { stack, code, choice }: Search,
  evaluate: (frame: Frame) => Promise<Result>,
): Promise<Result> {
  const names = freeNames(source);
  const frames = await framesToTry(stack, code, names, choice);
  let first: { error: GdbError; frame: Frame } | undefined;
  for (const frame of frames) {
    try {
      return await evaluate(frame);
    } catch (error) {
      if (!(error instanceof GdbError) || error instanceof WouldChangeError) throw error;
      if (error.failure.reason === 'tooLong') throw new TooLongError();
      first ??= { error, frame };
    }
  }
  if (first === undefined) throw notStopped(stack.thread.rank);
  const { error, frame } = first;
  const isUnknownName = error.failure.reason === 'noSymbol';
  const unread = isUnknownName ? inLostFiles(stack.thread.rank.lostFiles) : [];
  const language = languageOf(frame);
  const elsewhere = await namesElsewhere(stack.thread, error, language);
  const words = [wordsOf(error, source, language), ...elsewhere, ...unread];
  throw new NotKnownError(words.join('; '), whereLooked(isUnknownName, frame, choice));
}
