/** Expressions in one rank: where they are evaluated, what gdb is asked, and which handles are in their values. */
import type { MpiConstant, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import { guard, QueryError, type FailureCode } from '../../plugin-api/result';
import type { ProcessCode } from '../expressions/code-modules';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import {
  parseInteger,
  parseQueryExpression,
  prefixFault,
  substituteConstants,
  type Language,
  type QueryExpression,
} from '../expressions/expression';
import { refuseForeignNames } from '../expressions/foreign-names';
import { meantVariables } from '../expressions/variable-copies';
import { fortranForGdb } from '../expressions/fortran-expression';
import { languageOf, NoFrameError, type FrameChoice } from '../expressions/frames';
import { HandleTypes, type TypeMeaning } from '../expressions/handle-types';
import type { NameOfNumber } from '../expressions/known-integer';
import { withCppWords } from '../expressions/cpp-words';
import { withTextComparisons } from '../expressions/text-comparisons';
import { ThreadStacks } from '../expressions/thread-stack';
import { syntaxFault } from '../expressions/syntax-faults';
import { refuseUnknownWords } from '../expressions/unknown-words';
import { constantAt } from '../fortran/constant-at';
import type { IntegerHandles } from '../fortran/integer-handles';
import { GdbError } from '../gdb/mi/mi-connection';
import { readOnly, WouldChangeError } from '../gdb/mi/read-only';
import type { Frame } from '../stacks/frame';
import { whatisType } from '../gdb/mi/symbol-query';
import { cppForGdb } from '../gdb/python/cpp-expression';
import { withRank } from '../gdb/python/rank-words';
import { prepareTexts } from '../gdb/python/text-function';
import type { EpochImage } from '../images/epoch-image';
import type { Rank, RankThread } from '../job/rank';
import { findHandles } from '../values/find-handles';
import type { FoundHandle, HandleForm } from '../values/found-handle';
import { inFrameOf, TooLongError } from './frame-search';
import { kindOfNumbers, smallestHandle } from './kind-of-numbers';
import { programOf } from './needed-mpi';
import { notStopped } from './why-no-answer';

/** Where `show` evaluates; default: the rank's first thread, in the frame that framesToTry finds. */
export interface Where {
  thread?: RankThread;
  frame?: FrameChoice;
  /** Why the rank has no such place: what every expression answers then. */
  missing?: string;
}

/**
 * The answers to one expression. `evaluated` false: gdb could not evaluate it at all in this rank. `refused`: why it was not
 * even tried.
 */
export interface ExpressionAnswers {
  evaluated: boolean;
  refused?: string;
  answers: Answer[];
}

/** What expressions need to know of their rank; everything as it is at this stop. */
export interface ExpressionSource {
  readonly rank: Rank;
  image(): EpochImage;
  code(): Promise<ProcessCode>;
  mpi(): Promise<MpiProcess | undefined>;
  noMpi(): Promise<{ code: FailureCode; reason: string }>;
  queryValue(kind: HandleKind, value: bigint, form: HandleForm): Promise<Answer>;
}

export class RankExpressions {
  private readonly types: HandleTypes;

  constructor(
    private readonly source: ExpressionSource,
    private readonly integers: IntegerHandles,
    handleStructs: ConstructorParameters<typeof HandleTypes>[1],
  ) {
    this.types = new HandleTypes((type) => this.whatis(type), handleStructs);
  }

  private get rank(): Rank {
    return this.source.rank;
  }

  /** What a declared type, as gdb prints it, means in this rank's program. */
  meaning(type: string): Promise<TypeMeaning> {
    return this.types.meaning(type);
  }

  /** See kind-of-numbers.ts; undefined also where MPI is not known. */
  async kindOfNumbers(values: readonly bigint[]): Promise<HandleKind | undefined> {
    const found = await guard(async () => {
      const process = await this.source.mpi();
      return process && kindOfNumbers(process, values);
    });
    return found.ok ? found.value : undefined;
  }

  /** See kind-of-numbers.ts; undefined also where MPI is not known. */
  async smallestHandle(): Promise<bigint | undefined> {
    const found = await guard(async () => {
      const process = await this.source.mpi();
      return process && smallestHandle(process);
    });
    return found.ok ? found.value : undefined;
  }

  /** `source` for gdb: MPI's own names, which gdb does not know, replaced by their values. */
  async gdbExpression(source: string, language: Language): Promise<string> {
    return this.withConstants(await this.withTexts(source, language), language);
  }

  /** Literals that something is compared with are gdb's to read. Rejects with NoPythonError. */
  async withTexts(source: string, language: Language): Promise<string> {
    const compared = withTextComparisons(language === 'c' ? withCppWords(source) : source, language);
    await prepareTexts(this.rank.gdb, compared);
    return compared;
  }

  /** See syntaxFault() and refuseUnknownWords(). */
  async refuseUnknownWords(thread: RankThread, source: string, language: Language): Promise<void> {
    const fault = syntaxFault(
      withRank(source, () => []),
      language,
    );
    if (fault !== undefined) throw new GdbError(fault, '');
    const constants = await this.constantsFor(source);
    await refuseUnknownWords(thread, source, language, (name) => constants?.get(name));
  }

  /** undefined: it names none. */
  private async constantsFor(source: string): Promise<ReadonlyMap<string, MpiConstant> | undefined> {
    return /\bMPIX?_/i.test(source) ? (await this.source.mpi())?.constants() : undefined;
  }

  private async withConstants(source: string, language: Language): Promise<string> {
    const constants = await this.constantsFor(source);
    if (constants === undefined) return source;
    // In this process the address is known, also before gdb has read the library's symbols.
    return substituteConstants(source, language, (name) => {
      const constant = constants?.get(name);
      if (constant?.kind !== 'handle' || constant.handle === 0n) return constant;
      return { ...constant, symbol: undefined };
    });
  }

  /** True for MPI's own name of a handle, alone: gdb knows neither it nor, in many programs, its type. */
  async isHandleName(source: string): Promise<boolean> {
    if (!/^\s*MPIX?_\w+\s*$/i.test(source)) return false;
    const constant = (await (await this.source.mpi())?.constants())?.get(source.trim().toUpperCase());
    return constant?.kind === 'handle';
  }

  /** One expression of `show`: an answer for each handle in it. Never rejects for what the user or the rank did. */
  async show(text: string, where: Where = {}, stacks = new ThreadStacks()): Promise<ExpressionAnswers> {
    const expression = parseQueryExpression(text);
    const fail = (code: FailureCode, reason: string): ExpressionAnswers => {
      const kind = expression.kind === undefined ? {} : { kind: expression.kind };
      return { evaluated: false, answers: [{ expression: text, ...kind, code, reason }] };
    };
    const fault = prefixFault(text);
    if (fault !== undefined) return fail('MPIDBG_ERR_NOT_SUPPORTED', fault);
    if (where.missing !== undefined) return fail('MPIDBG_ERR_UNAVAILABLE', where.missing);
    try {
      const literal = await this.literal(expression);
      const { found, told } = literal ? { found: literal } : await this.evaluate(expression, where, stacks);
      const answers = await Promise.all(found.map((handle) => this.answer(handle)));
      const isTold = (answer: Answer): boolean => told !== undefined && answer.code === 'MPIDBG_SUCCESS';
      return { evaluated: true, answers: answers.map((each) => (isTold(each) ? { ...each, of: told } : each)) };
    } catch (error) {
      if (error instanceof WouldChangeError || error instanceof TooLongError)
        return { ...fail('MPIDBG_ERR_NOT_SUPPORTED', error.message), refused: error.message };
      if (error instanceof QueryError) return fail(error.code, error.message);
      if (error instanceof GdbError || error instanceof NoFrameError)
        return fail('MPIDBG_ERR_UNAVAILABLE', error.message);
      throw error;
    }
  }

  private async answer(found: FoundHandle): Promise<Answer> {
    const expression = found.path;
    if (found.kind === 'failure') {
      const { handleKind, code, reason } = found;
      return { expression, ...(handleKind && { kind: handleKind }), code, reason };
    }
    return { expression, ...(await this.source.queryValue(found.handleKind, found.value, found.form)) };
  }

  /** Expressions that need no gdb: a number after a prefix, and MPI's own names. */
  private async literal(expression: QueryExpression): Promise<FoundHandle[] | undefined> {
    const { text, kind, isFortran, source } = expression;
    const number = parseInteger(source);
    if (number !== undefined && kind !== undefined)
      return [{ kind: 'handle', path: text, handleKind: kind, form: isFortran ? 'fortran' : 'c', value: number }];
    const process = await this.source.mpi();
    if (process === undefined && /^MPIX?_[A-Z_]+$/i.test(source)) {
      return [{ kind: 'failure', path: text, ...(await this.source.noMpi()) }];
    }
    const constant = (await process?.constants())?.get(source.toUpperCase());
    return constant === undefined ? undefined : [constantHandle(text, expression, constant)];
  }

  private async evaluate(
    expression: QueryExpression,
    where: Where,
    stacks: ThreadStacks,
  ): Promise<{ found: FoundHandle[]; told?: string | undefined }> {
    const thread = where.thread ?? this.rank.threads[0];
    if (thread === undefined) throw notStopped(this.rank);
    const { kind, isFortran, source, prefix } = expression;
    const search = { stack: stacks.of(thread), code: await this.source.code(), choice: where.frame };
    return inFrameOf(source, search, async (frame) => {
      const reader = readOnly(thread, languageOf(frame));
      await refuseForeignNames({ thread: reader, frame }, source, search.code);
      await this.refuseUnknownWords(thread, source, languageOf(frame));
      const meant = await meantVariables({ thread: reader, frame }, source, this.source.image(), search.code);
      const evalFrame = this.evaluationFrame(reader, frame);
      const constants = await this.gdbExpression(meant.source, evalFrame.language);
      const forGdb =
        evalFrame.language === 'fortran'
          ? await fortranForGdb(evalFrame.thread, frame, constants)
          : await cppForGdb(evalFrame.thread, frame.level, constants);
      const constant = await constantAt(evalFrame, this.source.image(), forGdb);
      if (constant !== undefined) {
        const reason = `${source} is ${constant}, not a handle`;
        return { found: [{ kind: 'failure', path: `${prefix}${source}`, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }] };
      }
      const asked = { prefix, text: source, source: forGdb };
      const known = {
        meaningOf: (type: string) => this.types.meaning(type),
        smallestHandle: () => this.smallestHandle(),
        kindOfNumbers: (values: readonly bigint[]) => this.kindOfNumbers(values),
      };
      const found = await findHandles(evalFrame, asked, known, kind && { kind, isFortran });
      return { found, told: meant.told };
    });
  }

  /** The frame as a place to evaluate in, with what is known of its INTEGERs. */
  evaluationFrame(thread: RankThread, frame: Frame): EvaluationFrame {
    const program = () => programOf(this.source.image());
    const kindOfVariable = this.integers.in(thread, frame, program);
    const nameOfNumber: NameOfNumber = async (path, value) => {
      const names = await this.integers.numberNames(thread, frame, path, program);
      return this.nameAmong(names, value);
    };
    const statusLength = async (): Promise<number | undefined> => {
      const mpi = await guard(() => this.source.mpi());
      return mpi.ok && mpi.value !== undefined
        ? mpi.value.handleSize('status') / Int32Array.BYTES_PER_ELEMENT
        : undefined;
    };
    return { thread, frame: frame.level, language: languageOf(frame), kindOfVariable, statusLength, nameOfNumber };
  }

  /** The one of MPI's names that has this value in the rank's MPI. */
  private async nameAmong(names: readonly string[], value: number): Promise<string | undefined> {
    if (names.length === 0) return undefined;
    const constants = await guard(async () => (await this.source.mpi())?.constants());
    const found = names.filter((name) => {
      const constant = constants.ok ? constants.value?.get(name) : undefined;
      return constant?.kind === 'integer' && constant.value === value;
    });
    return found.length === 1 ? found[0] : undefined;
  }

  private async whatis(type: string): Promise<string> {
    const [thread] = this.rank.threads;
    if (thread === undefined) throw notStopped(this.rank);
    return whatisType(thread, type);
  }
}

function constantHandle(path: string, expression: QueryExpression, constant: MpiConstant): FoundHandle {
  if (constant.kind === 'handle')
    return { kind: 'handle', path, handleKind: constant.handleKind, form: 'c', value: constant.handle };
  const what =
    constant.kind === 'pointer' ? `the pointer 0x${constant.address.toString(16)}` : `the number ${constant.value}`;
  const reason = `${expression.source} is ${what}, not a handle`;
  return { kind: 'failure', path, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason };
}
