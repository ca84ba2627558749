/** evaluate: an expression in one frame, or in the debug console in all ranks of the focus. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { callingFunctions, readOnly } from '../../gdb/mi/read-only';
import { GdbError } from '../../gdb/mi/mi-connection';
import { isWhole } from '../../../plugin-api/answers/values/value-text';
import { typeOf } from '../../gdb/variable-objects';
import { canBeRead, type Rank } from '../../job/rank';
import { freeNames, parseQueryExpression } from '../../expressions/expression';
import { inWordsOf } from '../../gdb/fortran-words';
import { targetInFortran } from '../../expressions/fortran-targets';
import { framesToTry, languageOf, type ThreadFrame } from '../../expressions/frames';
import { inLostFiles } from '../../job/lost-files';
import { namesElsewhere } from '../../gdb/names-elsewhere';
import { ThreadStack } from '../../expressions/thread-stack';
import { type JobQueries } from '../../query/job-queries';
import { textOfMerged } from '../../../plugin-api/answers/value-over-ranks';
import type { ExpressionValues } from '../../query/shown/expression-values';
import { leadsElsewhere, mergeLines } from '../../../plugin-api/answers/lines-over-ranks';
import { withDigests, type UncomparedValue } from '../../query/shown/value-digest';
import { withVariablesMeant } from '../../query/shown/variables-meant';
import { NoValueError } from '../../query/shown/no-value-error';
import type { ShownVariable } from '../../query/shown/shown-variable';
import { allBy, cutMerged } from '../../../plugin-api/answers/text/values-text';
import { whyUnreadable } from '../../query/why-no-answer';
import { notEvaluated, nothingStopped, rankRuns, RequestError } from '../client/errors';
import type { Focus } from '../ranks/focus';
import type { FrameRef, StackFrames } from '../references/stack-frames';
import type { Variables } from './variables';

type Result = DebugProtocol.EvaluateResponse['body'];

export class Evaluation {
  constructor(
    private readonly parts: {
      focus: Focus;
      frames: StackFrames;
      values: ExpressionValues;
      variables: Variables;
      queries: JobQueries;
      /** `run`: what a command prints; undefined for what is an expression. */
      commands: { run(text: string, ref: FrameRef | undefined): Promise<string | undefined> };
    },
  ) {}

  async evaluate({ expression, frameId, context, format }: DebugProtocol.EvaluateArguments): Promise<Result> {
    const ref = frameId === undefined ? undefined : this.parts.frames.get(frameId);
    if (context === 'repl') {
      const printed = await this.parts.commands.run(expression, ref);
      if (printed !== undefined) return { result: printed.replace(/\n$/, ''), variablesReference: 0 };
      return this.evaluateInFocus(expression, ref);
    }
    const at = ref ?? (await this.anyFrame(expression));
    const hex = format?.hex === true;
    if (context !== 'hover') return this.shown(at, expression, hex);
    return this.describe(at, expression, await this.evaluateIn(readOnlyFrame(at), expression, { hex, isHover: true }));
  }

  /** One expression in one frame, as a watch shows it; the program is not changed. */
  async shown(ref: FrameRef, expression: string, hex = false): Promise<Result> {
    return this.describe(ref, expression, await this.evaluateIn(readOnlyFrame(ref), expression, { hex }));
  }

  /** The client's frame; without one, that of the expression in the first rank of the focus that can be read. */
  async frame(frameId: number | undefined, expression: string): Promise<FrameRef> {
    return frameId === undefined ? this.anyFrame(expression) : this.parts.frames.get(frameId);
  }

  /** The rank's frame that corresponds to the client's; without one, its innermost of the program. */
  async frameIn(rank: Rank, frameId: number | undefined): Promise<FrameRef> {
    return this.frameOf(rank, frameId === undefined ? undefined : this.parts.frames.get(frameId), '');
  }

  /** The type of what gdb evaluates, in gdb's words. Rejects with GdbError. */
  async typeOf(ref: FrameRef, source: string): Promise<string> {
    const { thread, frame } = readOnlyFrame(ref);
    return typeOf({ thread, frame: frame.level, language: languageOf(frame) }, source);
  }

  private async evaluateInFocus(expression: string, ref: FrameRef | undefined): Promise<Result> {
    const { ranks } = this.parts.focus;
    const readable = ranks.filter(canBeRead);
    if (readable.length === 0) throw nothingStopped();
    if (ranks.length === 1) {
      const [rank] = ranks as [Rank];
      const frame = await this.frameOf(rank, ref, expression);
      return this.describe(frame, expression, await this.evaluateIn(consoleFrame(frame), expression));
    }
    const told = await Promise.all(
      ranks.map(async (rank) => ({
        rank: this.parts.queries.idOf(rank),
        ...(await this.textOrReason(rank, ref, expression)),
      })),
    );
    const answers = await withVariablesMeant(parseQueryExpression(expression).source, told);
    const merged = mergeLines(await withDigests(answers));
    if (answers.every(({ failed }) => failed === true)) {
      throw notEvaluated(merged.length === 1 ? merged[0]!.text : merged.map((m) => `${m.ranks}: ${m.text}`).join('\n'));
    }
    const isPointer = answers.some(({ text, line }) => line !== undefined && leadsElsewhere(text));
    const all = `mpi value --full ${isPointer ? targetOf(expression) : expression}`;
    const printed = merged.map(({ isLine, ...value }) => {
      const isPart = value.beyond !== undefined || !isWhole(value.text);
      const line = `${textOfMerged(value)}${isPart ? allBy(all) : ''}`;
      return `${value.ranks}: ${isLine ? line : cutMerged(value, all)}`;
    });
    return { result: printed.join('\n'), variablesReference: 0 };
  }

  /** One rank's value as text, or in its words why there is none. It may change the program, by an assignment or a call. */
  private async textOrReason(
    rank: Rank,
    like: FrameRef | undefined,
    expression: string,
  ): Promise<Omit<UncomparedValue, 'rank'> & { line?: string; at?: ThreadFrame; of?: string }> {
    if (!canBeRead(rank)) return { text: whyUnreadable(rank), failed: true };
    try {
      const at = consoleFrame(await this.frameOf(rank, like, expression));
      const { text, of, readLine, readDigest } = await inUsersWords(at, () => this.parts.values.text(at, expression));
      const line = await readLine?.();
      return { text, at, ...(of && { of }), ...(line && { line }), ...(readDigest && { readDigest }) };
    } catch (error) {
      const text = wordsOf(error);
      if (text === undefined) throw error;
      return { text, failed: true };
    }
  }

  private async evaluateIn(
    ref: FrameRef,
    expression: string,
    { hex = false, isHover = false } = {},
  ): Promise<ShownVariable> {
    const { rank } = ref.thread;
    const { values } = this.parts;
    if (!canBeRead(rank)) throw rankRuns(rank);
    // A client shows no error in a hover, and hovers over whatever looks like a name.
    if (isHover) return inUsersWords(ref, () => values.inHover(ref, expression, hex), noNames);
    return inUsersWords(ref, () => values.evaluate(ref, expression, hex));
  }

  /** The user's expression as gdb reads it in this frame. */
  async forGdb(ref: FrameRef, expression: string): Promise<string> {
    return this.parts.values.forGdb(ref, expression);
  }

  /** The same for what is in memory under that name. Rejects with GdbError. */
  async placeForGdb(ref: FrameRef, expression: string): Promise<string> {
    const { thread, frame } = readOnlyFrame(ref);
    const source = await this.forGdb(ref, expression);
    return targetInFortran({ thread, frame: frame.level, language: languageOf(frame) }, source);
  }

  /**
   * The rank's frame for an expression typed beside `like`; without one, the innermost of the program that has one of the
   * expression's names, as `mpidbg show` takes it.
   */
  private async frameOf(rank: Rank, like: FrameRef | undefined, expression: string): Promise<FrameRef> {
    const corresponding = await this.parts.frames.corresponding(rank, like);
    if (corresponding !== undefined) return corresponding;
    const thread = rank.current ?? rank.threads[0];
    if (thread === undefined) throw rankRuns(rank);
    const code = await this.parts.queries.of(rank).code();
    const [frame] = await framesToTry(
      new ThreadStack(thread),
      code,
      freeNames(parseQueryExpression(expression).source),
    );
    if (frame === undefined) throw notEvaluated(`${rank.label} has no stack`);
    return { thread, frame };
  }

  private async anyFrame(expression: string): Promise<FrameRef> {
    const rank = this.parts.focus.ranks.find(canBeRead);
    if (rank === undefined) throw nothingStopped();
    return this.frameOf(rank, undefined, expression);
  }

  private describe(ref: FrameRef, expression: string, shown: ShownVariable): Result {
    const { value, ...rest } = this.parts.variables.describe(ref, 'evaluate', { ...shown, name: expression });
    return { result: value, ...rest };
  }
}

/** A frame in which evaluating never changes the program. */
export function readOnlyFrame({ thread, frame }: FrameRef): FrameRef {
  return { thread: readOnly(thread, languageOf(frame)), frame };
}

/** A frame in which the debug console evaluates: there, users may call functions of the program. */
function consoleFrame({ thread, frame }: FrameRef): FrameRef {
  return { thread: callingFunctions(thread), frame };
}

function targetOf(expression: string): string {
  return /^[\w.]+$/.test(expression) ? `*${expression}` : `*(${expression})`;
}

const noNames: typeof namesElsewhere = () => Promise.resolve([]);

/** Rejects with RequestError where gdb or we say why there is no value, and where a name is that the frame does not know. */
async function inUsersWords<Value>(
  { thread, frame }: FrameRef,
  evaluate: () => Promise<Value>,
  elsewhere = namesElsewhere,
): Promise<Value> {
  try {
    return await evaluate();
  } catch (error) {
    if (error instanceof NoValueError) throw notEvaluated(error.message);
    if (!(error instanceof GdbError)) throw error;
    const language = languageOf(frame);
    const words = inWordsOf(language, error.message);
    const [named] = await elsewhere(thread, error, language);
    const more = named ?? (error.failure.reason === 'noSymbol' ? inLostFiles(thread.rank.lostFiles)[0] : undefined);
    throw notEvaluated(more === undefined ? words : `${words.replace(/\.$/, '')}; ${more}`);
  }
}

/** What one rank says instead of a value; undefined for an internal error. */
function wordsOf(error: unknown): string | undefined {
  return error instanceof GdbError || error instanceof RequestError ? error.message : undefined;
}
