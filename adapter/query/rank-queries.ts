/** All queries of one rank. What was learned at a stop is dropped when the rank runs: see forget(). */
import type { CodeRef } from '../../plugin-api/mpi/code-ref';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type {
  Answer,
  Crash,
  HandleKind,
  Implementation,
  Known,
  RankAnswer,
  RequestInfo,
} from '../../plugin-api/mpi/records';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { unavailable } from '../../plugin-api/result';
import { ReadLog } from '../images/read-log';
import type { EpochImage } from '../images/epoch-image';
import type { AdviceWords } from '../job/advice';
import { canBeRead, type Rank } from '../job/rank';
import type { ProcessCode } from '../expressions/code-modules';
import type { IntegerHandles } from '../fortran/integer-handles';
import { isStoppedBySignal } from './found-as';
import { answerOf, listHandles } from './list-handles';
import { neededMpi } from './needed-mpi';
import { RankExpressions } from './rank-expressions';
import { RankImages } from './rank-images';
import { RankStacks } from './rank-stacks';
import { answerOfValue } from './value-answer';
import { handleAnswer, handleFacts } from './handle-answer';
import type { HandleAnswer } from '../gdb/python/handle-questions';
import type { HandleForm } from '../values/found-handle';
import { BufferPlaces } from './buffers/buffer-places';
import { placesOf, type LineReader } from './history/code-places';
import { HandleHistories, withHistories } from './history/handle-histories';
import { noMpi, notStopped } from './why-no-answer';

const maxHandleAnswers = 100;

export class RankQueries {
  readonly stacks: RankStacks;
  readonly expressions: RankExpressions;
  private readonly images: RankImages;
  private openProcess: Promise<MpiProcess | undefined> | undefined;
  private isInFinalize = false;
  /** While gdb holds the rank; right as long as the memory that they were made of is the same. */
  private readonly handleAnswers = new Map<string, { log: ReadLog; answer: HandleAnswer }>();
  private openHistories: Promise<HandleHistories | undefined> | undefined;
  private openBuffers: BufferPlaces | undefined;

  constructor(
    readonly rank: Rank,
    private readonly plugins: PluginRegistry,
    integers: IntegerHandles,
    private readonly adviceWords: AdviceWords,
    /** Reads the lines of files. */
    private readonly gdb = 'gdb',
  ) {
    this.images = new RankImages(rank, plugins.known);
    this.stacks = new RankStacks(rank, this.images, plugins);
    this.expressions = new RankExpressions(this, integers, plugins.known.handleStructs);
  }

  /** The rank has run: nothing that was read from it is valid any more. */
  forget(): void {
    this.openProcess = undefined;
    this.isInFinalize = false;
    this.openHistories = undefined;
    this.openBuffers = undefined;
    this.stacks.forget();
    this.images.forget();
  }

  /** The image that provides the rank's memory, symbols and types. Throws QueryError when it cannot be read. */
  image(): EpochImage {
    return this.images.typed();
  }

  /** See RankStacks.code. */
  code(): Promise<ProcessCode> {
    return this.stacks.code();
  }

  /** See RankStacks.pathsOfCode. */
  stackCode(): Promise<ProcessCode> {
    return this.stacks.pathsOfCode();
  }

  /** See RankStacks.crash. */
  crash(): Promise<Crash | undefined> {
    return this.stacks.crash();
  }

  /** See needed-mpi.ts. Rejects with QueryError. */
  neededMpi(): Promise<string | undefined> {
    return neededMpi(this.rank, this.image(), this.plugins.known);
  }

  /** The rank's MPI at this stop; undefined when none is visible. Rejects with QueryError. */
  mpi(): Promise<MpiProcess | undefined> {
    if (!canBeRead(this.rank)) return Promise.reject(notStopped(this.rank));
    return (this.openProcess ??= this.lookForMpi());
  }

  private async lookForMpi(): Promise<MpiProcess | undefined> {
    const process = await this.plugins.open(this.image());
    // Libraries say so when MPI_Finalize begins; as long as it runs, what was not freed is there.
    if (process?.implementation.state !== 'finalized' || (await this.stacks.ending()) !== 'MPI_Finalize')
      return process;
    this.isInFinalize = true;
    return process.inFinalize?.() ?? process;
  }

  /** The rank's state beside its implementation. */
  async state(): Promise<Pick<RankAnswer, 'ending' | 'crash'>> {
    const [crash] = await Promise.all([this.crash(), this.mpi()]);
    return { ...(crash && { crash }), ...(this.isInFinalize && { ending: 'MPI_Finalize' }) };
  }

  /** Empty unless MPI is initialized. */
  async threadLevel(): Promise<Pick<RankAnswer, 'threadLevel'>> {
    const process = await this.mpi();
    if (process?.implementation.state !== 'initialized') return {};
    const level = await process.threadLevel?.();
    if (level === undefined) return {};
    return { threadLevel: level.ok ? level.value : unavailable(level.code, level.reason) };
  }

  async firstThread(): Promise<Pick<RankAnswer, 'mainHasEnded'>> {
    return (await this.rank.process?.hasLostFirstThread()) === true ? { mainHasEnded: true } : {};
  }

  stoppedBySignal(): Pick<RankAnswer, 'isStopped'> {
    return isStoppedBySignal(this.rank) ? { isStopped: true } : {};
  }

  private get lineReader(): LineReader {
    return { gdb: this.gdb, libraries: this.plugins.libraryCode, process: this.rank.process };
  }

  /** What is known of these places in its code. */
  linesOf(addresses: readonly CodeRef['address'][]): Promise<ReadonlyMap<string, CodeRef>> {
    return placesOf(this.image(), addresses, this.lineReader, 'source');
  }

  noMpi(): ReturnType<typeof noMpi> {
    return noMpi(this.rank, this.plugins.known, this.adviceWords);
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

  withHistories(requests: readonly RequestInfo[]): Promise<readonly RequestInfo[]> {
    return withHistories(requests, () => this.histories());
  }

  private histories(): Promise<HandleHistories | undefined> {
    return (this.openHistories ??= HandleHistories.of(this.image(), this.lineReader));
  }

  /** Decoded from memory as it is at this moment, without debug information of the library. */
  async handleWithoutGdb(kind: HandleKind, value: bigint, form: HandleForm): Promise<HandleAnswer> {
    const key = `${kind} ${form} ${value}`;
    const image = this.images.untyped();
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
    const image = this.images.untyped();
    try {
      return await ask(await this.plugins.open(image), image);
    } finally {
      image.invalidate();
    }
  }

  /** See listHandles; a process at its end is told as such. */
  async handles(kinds: readonly HandleKind[], internal: boolean): Promise<Pick<RankAnswer, 'answers' | 'ending'>> {
    const process = await this.mpi();
    if (process === undefined) return { answers: [await this.noMpi()] };
    const ending = await this.stacks.ending();
    const histories = await this.histories();
    const made = (kind: HandleKind) => histories?.handles(kind) ?? [];
    const listed = await listHandles(process, kinds, internal, ending, made);
    const answers = await Promise.all(listed.map((answer) => this.completed(answer)));
    return ending === undefined ? { answers } : { ending, answers };
  }
}
