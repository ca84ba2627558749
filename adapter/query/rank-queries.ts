/** All queries of one rank. What was learned at a stop is dropped when the rank runs: see forget(). */
import type { CodeRef } from '../../plugin-api/mpi/code-ref';
import type { MpiConstant, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, Crash, HandleKind, Implementation, Known, RankAnswer } from '../../plugin-api/mpi/records';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { guard, QueryError, unavailable, type FailureCode } from '../../plugin-api/result';
import { GdbImage } from '../gdb/gdb-image';
import { readOnly, WouldChangeError } from '../gdb/mi/read-only';
import { GdbError } from '../gdb/mi/mi-connection';
import { prepareTexts } from '../gdb/python/text-function';
import { innermostFrames, maxFrames, stackListFrames, type GdbFrame } from '../gdb/mi/stack-manipulation';
import { whatisType } from '../gdb/mi/symbol-query';
import { ElfError } from '../elf/byte-source';
import { CachedImage } from '../images/cached-image';
import { ReadLog } from '../images/read-log';
import { withFile, type OpenFile } from '../elf/distant-bytes';
import { elfOf } from '../elf/elf-cache';
import { unlessShort } from '../elf/shortage-error';
import { openHere } from '../hosts/local-host';
import type { EpochImage } from '../images/epoch-image';
import { findMpi } from '../launchers/mpi-of-program';
import type { AdviceWords } from '../job/advice';
import { canBeRead, type Rank, type RankThread } from '../job/rank';
import {
  parseInteger,
  parseQueryExpression,
  prefixFault,
  substituteConstants,
  type Language,
  type QueryExpression,
} from '../expressions/expression';
import { refuseForeignNames } from '../expressions/foreign-names';
import { fortranForGdb } from '../expressions/fortran-expression';
import { withTextComparisons } from '../expressions/text-comparisons';
import { crashOf } from './across-ranks/crash';
import type { ProcessCode } from '../expressions/code-modules';
import { languageOf, NoFrameError, type FrameChoice } from '../expressions/frames';
import { ThreadStacks } from '../expressions/thread-stack';
import { constantAt } from '../fortran/constant-at';
import type { IntegerHandles } from '../fortran/integer-handles';
import { answerOf, endingOf, listHandles } from './list-handles';
import { whereIs, type RankStacks, type Whereabouts } from './across-ranks/stacks';
import { HandleTypes, type TypeMeaning } from '../expressions/handle-types';
import { kindOfNumbers } from './kind-of-numbers';
import { answerOfValue } from './value-answer';
import { handleAnswer, handleFacts } from './handle-answer';
import type { HandleAnswer } from '../gdb/python/handle-questions';
import type { FoundHandle, HandleForm } from '../values/found-handle';
import { findHandles } from '../values/find-handles';
import type { EvaluationFrame } from '../expressions/evaluation-frame';
import type { NameOfNumber } from '../expressions/known-integer';
import { BufferPlaces } from './buffers/buffer-places';
import { placesOf, type LineReader } from './history/code-places';
import { HandleHistories } from './history/handle-histories';
import type { OmptThread } from '../../plugin-api/overlays/ompt-records';
import { mastersOf, openMpThreads } from './across-ranks/openmp-threads';
import { mappedModules, memoryOf } from './rank-memory';
import { inFrameOf, TooLongError } from './frame-search';
import { noMpi, notStopped } from './why-no-answer';

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

const maxHandleAnswers = 100;

export class RankQueries {
  private readonly types: HandleTypes;
  private openImage: EpochImage | undefined;
  private openFrames: Promise<GdbFrame[][]> | undefined;
  private places = new Map<RankThread, Whereabouts>();
  private openMp: Promise<ReadonlyMap<RankThread, OmptThread>> | undefined;
  private openProcess: Promise<MpiProcess | undefined> | undefined;
  private isInFinalize = false;
  /** While gdb holds the rank; right as long as the memory that they were made of is the same. */
  private readonly handleAnswers = new Map<string, { log: ReadLog; answer: HandleAnswer }>();
  private openHistories: Promise<HandleHistories | undefined> | undefined;
  private openBuffers: BufferPlaces | undefined;

  constructor(
    readonly rank: Rank,
    private readonly plugins: PluginRegistry,
    private readonly integers: IntegerHandles,
    private readonly adviceWords: AdviceWords,
    /** Reads the lines of files. */
    private readonly gdb = 'gdb',
  ) {
    this.types = new HandleTypes((type) => this.whatis(type), plugins.known.handleStructs);
  }

  /** The rank has run: nothing that was read from it is valid any more. */
  forget(): void {
    this.openProcess = undefined;
    this.isInFinalize = false;
    this.openFrames = undefined;
    this.openHistories = undefined;
    this.openBuffers = undefined;
    this.openImage?.invalidate();
    this.places = new Map();
    this.openMp = undefined;
  }

  /** The image that provides the rank's memory, symbols and types. Throws QueryError when it cannot be read. */
  image(): EpochImage {
    return (this.openImage ??= new GdbImage(
      new CachedImage(memoryOf(this.rank, this.plugins.known)),
      () => this.rank.threads[0] ?? this.rank,
    ));
  }

  /** The rank's MPI at this stop; undefined when none is visible. Rejects with QueryError. */
  mpi(): Promise<MpiProcess | undefined> {
    if (!canBeRead(this.rank)) return Promise.reject(notStopped(this.rank));
    return (this.openProcess ??= this.lookForMpi());
  }

  private async lookForMpi(): Promise<MpiProcess | undefined> {
    const process = await this.plugins.open(this.image());
    // Libraries say so when MPI_Finalize begins; as long as it runs, what was not freed is there.
    if (process?.implementation.state !== 'finalized' || (await this.ending()) !== 'MPI_Finalize') return process;
    this.isInFinalize = true;
    return process.inFinalize?.() ?? process;
  }

  /** What is to be said beside its implementation. */
  async state(): Promise<Pick<RankAnswer, 'ending' | 'crash'>> {
    const [crash] = await Promise.all([this.crash(), this.mpi()]);
    return { ...(crash && { crash }), ...(this.isInFinalize && { ending: 'MPI_Finalize' }) };
  }

  /** Of a process in which MPI is initialized. */
  async threadLevel(): Promise<Pick<RankAnswer, 'threadLevel'>> {
    const process = await this.mpi();
    if (process?.implementation.state !== 'initialized') return {};
    const level = await process.threadLevel?.();
    if (level === undefined) return {};
    return { threadLevel: level.ok ? level.value : unavailable(level.code, level.reason) };
  }

  /** Which end the process is in. Rejects with GdbError. */
  async ending(): Promise<RankAnswer['ending']> {
    return endingOf(await (this.openFrames ??= this.frames(false)), this.plugins.known);
  }

  private get lineReader(): LineReader {
    return { gdb: this.gdb, libraries: this.plugins.libraryCode };
  }

  /** What is known of these places in its code. */
  linesOf(addresses: readonly CodeRef['address'][]): Promise<ReadonlyMap<string, CodeRef>> {
    return placesOf(this.image(), addresses, this.lineReader, 'source');
  }

  /** What tells the program's code from that of others. */
  private get known(): Omit<ProcessCode, 'modules'> {
    return { mpis: this.plugins.known, libraries: this.plugins.libraryCode };
  }

  /** The program and its libraries, with their files opened. Rejects with QueryError. */
  async code(): Promise<ProcessCode> {
    return { modules: await this.image().modules(), ...this.known };
  }

  /** The modules by their paths alone: enough for stacks. */
  async stackCode(): Promise<ProcessCode> {
    return { modules: await mappedModules(this.rank, () => this.image()), ...this.known };
  }

  /** The MPI that the rank's program will load, by its file; undefined when it does not show. Rejects with QueryError. */
  async neededMpi(): Promise<string | undefined> {
    const { process } = this.rank;
    const [program, environment] = [await this.program(), await this.image().environment()];
    // Of a core file the files lie here, too.
    const open: OpenFile = process === undefined ? openHere : (path) => process.openNamed(path);
    try {
      const cwd = await process?.workingDirectory().catch(unlessShort(undefined));
      const settings = { open, libraryPath: environment.get('LD_LIBRARY_PATH'), cwd };
      const elf = await withFile(program, open, elfOf);
      return (await findMpi(program, elf, settings, this.plugins.known)).mpi?.name;
    } catch (error) {
      if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
      throw error;
    }
  }

  noMpi(): ReturnType<typeof noMpi> {
    return noMpi(this.rank, this.adviceWords);
  }

  async implementation(): Promise<Known<Implementation>> {
    const process = await this.mpi();
    if (process !== undefined) return process.implementation;
    const { code, reason } = await this.noMpi();
    return unavailable(code, reason);
  }

  /** What this handle is. `handle` as MpiProcess.query takes it. */
  async query(kind: HandleKind, handle: bigint): Promise<Answer> {
    const process = await this.mpi();
    if (process === undefined) return { kind, ...(await this.noMpi()) };
    return this.completed(await answerOf(process, kind, handle), { kind, value: handle, form: 'c' });
  }

  /** What a found value stands for. */
  async queryValue(kind: HandleKind, value: bigint, form: HandleForm): Promise<Answer> {
    const process = await this.mpi();
    if (process === undefined) return { kind, ...(await this.noMpi()) };
    const answer = await answerOfValue(process, this.image(), kind, value, form);
    return this.completed(answer, { kind, value, form });
  }

  /** Adds what the collector knows of the handle's history, and which variables are its buffers. */
  private async completed(answer: Answer, asked?: Parameters<HandleHistories['complete']>[1]): Promise<Answer> {
    const withHistory = (await this.histories())?.complete(answer, asked) ?? answer;
    const process = await this.mpi();
    if (process === undefined) return withHistory;
    this.openBuffers ??= new BufferPlaces({
      ...{ rank: this.rank, image: this.image(), process },
      ask: (kind, handle) => answerOf(process, kind, handle),
      code: () => this.code(),
    });
    return this.openBuffers.complete(withHistory);
  }

  private histories(): Promise<HandleHistories | undefined> {
    return (this.openHistories ??= HandleHistories.of(this.image(), this.lineReader));
  }

  /** Of what is in memory at this moment, and without debug information of the library. */
  async handleWithoutGdb(kind: HandleKind, value: bigint, form: HandleForm): Promise<HandleAnswer> {
    const key = `${kind} ${form} ${value}`;
    const image = new CachedImage(memoryOf(this.rank, this.plugins.known));
    try {
      const known = this.handleAnswers.get(key);
      if (known !== undefined && (await known.log.isSameIn(image))) return known.answer;
      const log = new ReadLog(image);
      const process = await this.plugins.open(log);
      if (process === undefined) return { text: '', why: (await this.noMpi()).reason };
      const answer = await handleAnswer(process, log, kind, value, form);
      if (this.handleAnswers.size >= maxHandleAnswers) this.handleAnswers.clear();
      this.handleAnswers.set(key, { log, answer });
      return answer;
    } finally {
      image.invalidate();
    }
  }

  /** As handleWithoutGdb, without a text, from as little as possible; undefined: there is no such way for this handle. */
  handleFacts(kind: HandleKind, value: bigint, form: HandleForm): Promise<HandleAnswer | undefined> {
    return this.withoutGdb(async (process, image) => process && handleFacts(process, image, kind, value, form));
  }

  /** What is in memory at this moment, whether or not the rank runs. Rejects with QueryError. */
  async withoutGdb<T>(ask: (process: MpiProcess | undefined, image: EpochImage) => Promise<T>): Promise<T> {
    const image = new CachedImage(memoryOf(this.rank, this.plugins.known));
    try {
      return await ask(await this.plugins.open(image), image);
    } finally {
      image.invalidate();
    }
  }

  /** What a declared type, as gdb prints it, means in this rank's program. */
  meaning(type: string): Promise<TypeMeaning> {
    return this.types.meaning(type);
  }

  /** As kindOfNumbers there; undefined also where MPI is not known. */
  async kindOfNumbers(values: readonly bigint[]): Promise<HandleKind | undefined> {
    const found = await guard(async () => {
      const process = await this.mpi();
      return process && kindOfNumbers(process, values);
    });
    return found.ok ? found.value : undefined;
  }

  /** `source` for gdb: MPI's own names, which gdb does not know, replaced by their values. */
  async gdbExpression(source: string, language: Language): Promise<string> {
    return this.withConstants(await this.withTexts(source, language), language);
  }

  /** Literals that something is compared with are gdb's to read. Rejects with NoPythonError. */
  async withTexts(source: string, language: Language): Promise<string> {
    const compared = withTextComparisons(source, language);
    await prepareTexts(this.rank.gdb, compared);
    return compared;
  }

  private async withConstants(source: string, language: Language): Promise<string> {
    if (!/\bMPIX?_/i.test(source)) return source;
    const constants = await (await this.mpi())?.constants();
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
    const constant = (await (await this.mpi())?.constants())?.get(source.trim().toUpperCase());
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
      const found = (await this.literal(expression)) ?? (await this.evaluate(expression, where, stacks));
      return { evaluated: true, answers: await Promise.all(found.map((handle) => this.answer(handle))) };
    } catch (error) {
      if (error instanceof WouldChangeError || error instanceof TooLongError)
        return { ...fail('MPIDBG_ERR_NOT_SUPPORTED', error.message), refused: error.message };
      if (error instanceof QueryError) return fail(error.code, error.message);
      if (error instanceof GdbError || error instanceof NoFrameError)
        return fail('MPIDBG_ERR_UNAVAILABLE', error.message);
      throw error;
    }
  }

  /** See listHandles; a process at its end is told as such. */
  async handles(kinds: readonly HandleKind[], internal: boolean): Promise<Pick<RankAnswer, 'answers' | 'ending'>> {
    const process = await this.mpi();
    if (process === undefined) return { answers: [await this.noMpi()] };
    const ending = await this.ending();
    const histories = await this.histories();
    const made = (kind: HandleKind) => histories?.handles(kind) ?? [];
    const listed = await listHandles(process, kinds, internal, ending, made);
    const answers = await Promise.all(listed.map((answer) => this.completed(answer)));
    return ending === undefined ? { answers } : { ending, answers };
  }

  /** The stacks of all threads, or of the program's own; see RankStacks. */
  async stacks(withHelpers = true): Promise<Omit<RankStacks, 'id'>> {
    const [code, threads, told] = await Promise.all([this.stackCode(), this.frames(withHelpers), this.openMpThreads()]);
    return { code, threads, masters: mastersOf(this.threads(withHelpers), told) };
  }

  private async frames(withHelpers: boolean): Promise<GdbFrame[][]> {
    if (!canBeRead(this.rank)) throw notStopped(this.rank);
    // One more tells whether the stack goes on.
    return Promise.all(this.threads(withHelpers).map((thread) => stackListFrames(thread, 0, maxFrames)));
  }

  private threads(withHelpers: boolean): RankThread[] {
    return this.rank.threads.filter(({ role }) => withHelpers || role?.helperOf === undefined);
  }

  /** Where a thread of the rank stands, by default the one whose stop was published last. */
  async whereabouts(thread = this.rank.current ?? this.rank.threads[0]): Promise<Whereabouts> {
    if (thread === undefined || !canBeRead(this.rank)) throw notStopped(this.rank);
    const { places } = this;
    const known = places.get(thread);
    if (known !== undefined) return known;
    const place = whereIs(await innermostFrames(thread), await this.stackCode());
    // If the rank has run since, this map is no longer asked.
    places.set(thread, place);
    return place;
  }

  /** As openMpThreads, at this stop. */
  async openMpThreads(): Promise<ReadonlyMap<RankThread, OmptThread>> {
    if (!canBeRead(this.rank)) throw notStopped(this.rank);
    const { rank } = this;
    this.openMp ??= this.stackCode().then(({ modules }) => openMpThreads(rank, modules, () => this.image()));
    return this.openMp;
  }

  /** How the process of a core file died; undefined for one that lived on, and for a live rank. */
  async crash(): Promise<Crash | undefined> {
    const { image, current } = this.rank;
    if (image === undefined || current?.stop === undefined) return undefined;
    const code = { modules: image.mapped(), ...this.known };
    return crashOf(image, current.stop, await innermostFrames(current), code);
  }

  private async answer(found: FoundHandle): Promise<Answer> {
    const expression = found.path;
    if (found.kind === 'failure') {
      const { handleKind, code, reason } = found;
      return { expression, ...(handleKind && { kind: handleKind }), code, reason };
    }
    return { expression, ...(await this.queryValue(found.handleKind, found.value, found.form)) };
  }

  /** Expressions that need no gdb: a number after a prefix, and MPI's own names. */
  private async literal(expression: QueryExpression): Promise<FoundHandle[] | undefined> {
    const { text, kind, isFortran, source } = expression;
    const number = parseInteger(source);
    if (number !== undefined && kind !== undefined)
      return [{ kind: 'handle', path: text, handleKind: kind, form: isFortran ? 'fortran' : 'c', value: number }];
    const process = await this.mpi();
    if (process === undefined && /^MPIX?_[A-Z_]+$/i.test(source)) {
      return [{ kind: 'failure', path: text, ...(await this.noMpi()) }];
    }
    const constant = (await process?.constants())?.get(source.toUpperCase());
    return constant === undefined ? undefined : [constantHandle(text, expression, constant)];
  }

  private async evaluate(expression: QueryExpression, where: Where, stacks: ThreadStacks): Promise<FoundHandle[]> {
    const thread = where.thread ?? this.rank.threads[0];
    if (thread === undefined) throw notStopped(this.rank);
    const { kind, isFortran, source, prefix } = expression;
    const search = { stack: stacks.of(thread), code: await this.code(), choice: where.frame };
    return inFrameOf(source, search, async (frame) => {
      const reader = readOnly(thread, languageOf(frame));
      await refuseForeignNames({ thread: reader, frame }, source, search.code);
      const evalFrame = this.evaluationFrame(reader, frame);
      const constants = await this.gdbExpression(source, evalFrame.language);
      const forGdb =
        evalFrame.language === 'fortran' ? await fortranForGdb(evalFrame.thread, frame, constants) : constants;
      const constant = await constantAt(evalFrame, this.image(), forGdb);
      if (constant !== undefined) {
        const reason = `${source} is ${constant}, not a handle`;
        return [{ kind: 'failure', path: `${prefix}${source}`, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason }];
      }
      const asked = { prefix, text: source, source: forGdb };
      const known = {
        meaningOf: (type: string) => this.types.meaning(type),
        kindOfNumbers: (values: readonly bigint[]) => this.kindOfNumbers(values),
      };
      return findHandles(evalFrame, asked, known, kind && { kind, isFortran });
    });
  }

  /** The frame as a place to evaluate in, with what is known of its INTEGERs. */
  evaluationFrame(thread: RankThread, frame: GdbFrame): EvaluationFrame {
    const kindOfVariable = this.integers.in(thread, frame, () => this.program());
    const nameOfNumber: NameOfNumber = async (path, value) => {
      const names = await this.integers.numberNames(thread, frame, path, () => this.program());
      return this.nameAmong(names, value);
    };
    const statusLength = async (): Promise<number | undefined> => {
      const mpi = await guard(() => this.mpi());
      return mpi.ok && mpi.value !== undefined
        ? mpi.value.handleSize('status') / Int32Array.BYTES_PER_ELEMENT
        : undefined;
    };
    return { thread, frame: frame.level, language: languageOf(frame), kindOfVariable, statusLength, nameOfNumber };
  }

  /** The one of MPI's names that has this value in the rank's MPI. */
  private async nameAmong(names: readonly string[], value: number): Promise<string | undefined> {
    if (names.length === 0) return undefined;
    const constants = await guard(async () => (await this.mpi())?.constants());
    const found = names.filter((name) => {
      const constant = constants.ok ? constants.value?.get(name) : undefined;
      return constant?.kind === 'integer' && constant.value === value;
    });
    return found.length === 1 ? found[0] : undefined;
  }

  /** The executable's path; '' where it is unknown. */
  private async program(): Promise<string> {
    return (await this.image().modules()).find(({ isExecutable }) => isExecutable)?.path ?? '';
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
