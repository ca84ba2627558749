/** Where the threads of one rank are: stacks, OpenMP teams, and how the process of a core file died. */
import type { Crash, RankAnswer } from '../../plugin-api/mpi/records';
import type { OmptThread } from '../../plugin-api/overlays/ompt-records';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { codeModulesOf, type CodeModule, type ProcessCode } from '../expressions/code-modules';
import { maxFrames, type Frame } from '../stacks/frame';
import { framesOf, innermostFrames } from '../stacks/gdb-stack';
import { canBeRead, type Rank, type RankThread } from '../job/rank';
import { crashOf } from './across-ranks/crash';
import { mastersOf, openMpThreads } from './across-ranks/openmp-threads';
import { whereIs, type RankStacks as StacksOfRank, type Whereabouts } from './across-ranks/stacks';
import { endingOf } from './list-handles';
import type { RankImages } from './rank-images';
import { threadWait } from './system-calls/thread-waits';
import { notStopped } from './why-no-answer';

export class RankStacks {
  private ofProgram: Promise<Frame[][]> | undefined;
  private places = new Map<RankThread, Whereabouts>();
  private openMp: Promise<ReadonlyMap<RankThread, OmptThread>> | undefined;

  constructor(
    private readonly rank: Rank,
    private readonly images: RankImages,
    private readonly plugins: PluginRegistry,
  ) {}

  /** The rank has run. */
  forget(): void {
    this.ofProgram = undefined;
    this.places = new Map();
    this.openMp = undefined;
  }

  /** The call that is ending MPI, or the job; undefined where there is none. Rejects with GdbError. */
  async ending(): Promise<RankAnswer['ending']> {
    return endingOf(await (this.ofProgram ??= this.frames(false)), this.plugins.known);
  }

  /** Distinguishes the program's code from that of others. */
  private get known(): Omit<ProcessCode, 'modules'> {
    return { mpis: this.plugins.known, libraries: this.plugins.libraryCode };
  }

  /** The program and its libraries, with their files opened. Rejects with QueryError. */
  async code(): Promise<ProcessCode> {
    return { modules: await this.images.typed().modules(), ...this.known };
  }

  /** As code(), with the paths of the modules alone, which is enough for stacks. */
  async pathsOfCode(): Promise<ProcessCode> {
    return { modules: await this.mappedModules(), ...this.known };
  }

  private async mappedModules(): Promise<readonly CodeModule[]> {
    const { process, image: core } = this.rank;
    if (core !== undefined) return core.mapped();
    if (process !== undefined) return codeModulesOf(process);
    return this.images.typed().modules();
  }

  /** The stacks of all threads, or of the program's own. */
  async ofThreads(withHelpers = true): Promise<Omit<StacksOfRank, 'id'>> {
    const [code, threads, told] = await Promise.all([
      this.pathsOfCode(),
      this.frames(withHelpers),
      this.openMpThreads(),
    ]);
    const [first] = this.threads(withHelpers);
    const waitsIn = first && (await this.whereabouts(first)).waitsIn;
    return { code, threads, masters: mastersOf(this.threads(withHelpers), told), waitsIn };
  }

  private async frames(withHelpers: boolean): Promise<Frame[][]> {
    if (!canBeRead(this.rank)) throw notStopped(this.rank);
    // One more tells whether the stack goes on.
    return Promise.all(this.threads(withHelpers).map((thread) => framesOf(thread, 0, maxFrames)));
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
    const frames = await innermostFrames(thread);
    const place = whereIs(frames, await this.pathsOfCode());
    if (!place.isMpiCall) place.waitsIn = await threadWait(thread, frames, this.images.typed());
    // If the rank has run since, this map is no longer asked. A stack that gdb does not know yet is asked for again.
    if (frames.some((frame) => frame.function !== undefined)) places.set(thread, place);
    return place;
  }

  /** As openMpThreads, at this stop. */
  async openMpThreads(): Promise<ReadonlyMap<RankThread, OmptThread>> {
    if (!canBeRead(this.rank)) throw notStopped(this.rank);
    this.openMp ??= this.askOpenMp();
    return this.openMp;
  }

  /** Every list of threads asks: a rank on another host must not be asked for that. */
  private async askOpenMp(): Promise<ReadonlyMap<RankThread, OmptThread>> {
    const { rank } = this;
    const loaded = rank.loadedFiles ?? (await this.mappedModules());
    return openMpThreads(rank, loaded, () => this.images.typed());
  }

  /** How the process of a core file died; undefined for one that lived on, and for a live rank. */
  async crash(): Promise<Crash | undefined> {
    const { image, current } = this.rank;
    if (image === undefined || current?.stop === undefined) return undefined;
    const code = { modules: image.mapped(), ...this.known };
    return crashOf(image, current.stop, await innermostFrames(current), code);
  }
}
