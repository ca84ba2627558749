/** A rank that is held, at one look or at several: what was decoded at the last one holds as long as its bytes are the same. */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { codeModulesOf, type ProcessCode } from '../../expressions/code-modules';
import type { HostProcess } from '../../hosts/host-process';
import type { EpochImage } from '../../images/epoch-image';
import type { RememberingImage } from '../../images/remembering-image';
import { UnwindError } from '../../../plugin-api/processor/unwind/unwind-error';
import { placesOf, type LineReader } from '../history/code-places';
import { HandleHistories, withHistories } from '../history/handle-histories';
import { heldStack, roleOf, type HeldStack, type StandingThread } from '../positions/held-stack';
import { withTakenPlaces } from '../positions/openmp-threads';
import { clocksOf } from '../positions/host-clocks';
import { imageOfProcess, rememberingImage } from '../rank-images';
import { withLineText } from '../positions/polled-memory';
import { threadPositions, withPlaces, type ThreadPosition } from '../positions/positions';
import { withBufferFaults } from './faulty-buffers';
import { decodedContents, toldContents, withPassedObjects, type Contents } from './look';
import type { SharedTraffic } from './traffic';

export interface HeldAt {
  id: ProcessState['id'];
  /** As in proc(5), before it was held. */
  foundAs: string;
  threads: readonly StandingThread[];
}

/** A rank as a look has seen it. */
export interface SeenRank {
  id: ProcessState['id'];
  code: ProcessCode;
  image: EpochImage;
  mpi: Promise<MpiProcess | undefined>;
  /** isHelper: a library's own. */
  threads: readonly { tid: number; stack: HeldStack; isHelper: boolean }[];
  /** Where the program's own call is that returns to this address. */
  placeOf(address: CodeRef['address']): Promise<CodeRef | undefined>;
}

/** What was read while it was held. */
interface Seen {
  id: ProcessState['id'];
  code: ProcessCode;
  threads: readonly StandingThread[];
  stacks: readonly HeldStack[];
  positions: readonly ThreadPosition[];
  contents: Contents;
}

export class HeldRank {
  private readonly image: EpochImage;
  private readonly decoding: RememberingImage;
  private decoded: { mpi: Promise<MpiProcess | undefined>; contents: Promise<Contents> } | undefined;
  private seen: Seen | undefined;

  constructor(
    private readonly process: HostProcess,
    private readonly settings: { plugins: PluginRegistry; gdb: string },
  ) {
    this.image = imageOfProcess(process, settings.plugins.known);
    this.decoding = rememberingImage(this.image);
  }

  /** While it runs, so that it is held for a shorter time. What it changes meanwhile counts for nothing. */
  async prepare(): Promise<void> {
    this.image.invalidate();
    await this.decode();
  }

  /** While it is held. */
  async read({ id, foundAs, threads }: HeldAt, traffic: SharedTraffic): Promise<void> {
    const { image, process } = this;
    const mpis = this.settings.plugins.known;
    image.invalidate();
    const code = { modules: await codeModulesOf(process), mpis, libraries: this.settings.plugins.libraryCode };
    // Source lines alone tell such a program from its MPI, which matters to those that wait in it.
    const isDying = threads.some(({ dying }) => dying !== undefined);
    if (!isDying && !code.modules.some(({ path }) => mpis.holdsObjects(path)))
      throw new UnwindError('it has loaded no library of an MPI');
    const held = { image, process, mpis, gdb: this.settings.gdb };
    // Other threads may have died with it, and wait in what mpidbg has put there.
    const stacks = await Promise.all(threads.map((thread) => heldStack(held, thread, { isPartial: isDying })));
    const { mpi, contents } = await this.decode();
    const source = {
      rank: { image: undefined, process, foundAs, current: { stop: { reason: 'attach', breakpoints: [] } } } as const,
      mpi: () => mpi,
      image: () => image,
      clocks: clocksOf(process),
      process,
    };
    const stopped = stacks.map((stack, index) => ({
      thread: index + 1,
      tid: threads[index]!.tid,
      role: roleOf(stack, mpis),
      stack: () => Promise.resolve(stack),
    }));
    const decoded = await contents;
    const positions = await threadPositions(source, stopped, code, decoded.openmp ?? []);
    const told = await toldContents(source, traffic, decoded);
    const read = await withPassedObjects(decoded, await mpi, positions);
    const requests = await withBufferFaults(read.requests, {
      ...source,
      mpi: await mpi,
      image,
      code,
      threads: stopped,
    });
    this.seen = { id, code, threads, stacks, positions, contents: { ...read, ...told, requests } };
  }

  private async decode(): Promise<NonNullable<HeldRank['decoded']>> {
    const { decoding } = this;
    if (this.decoded !== undefined && (await decoding.isSame())) return this.decoded;
    this.decoded = undefined;
    await decoding.start();
    const mpi = this.settings.plugins.open(decoding);
    const contents = decodedContents({
      mpi: () => mpi,
      image: () => decoding,
      crash: () => Promise.resolve(undefined),
    });
    await contents;
    return (this.decoded = { mpi, contents });
  }

  /** What was read last, with source lines. It may run. */
  async state(): Promise<ProcessState> {
    const { id, code, stacks, positions, contents } = this.seen!;
    const { openmp } = contents;
    const reader = this.lineReader();
    const places = (addresses: readonly CodeRef['address'][]) => placesOf(this.image, addresses, reader, 'source');
    const withLines = positions.map(async (position) => {
      const placed = withPlaces(position, await stacks[position.thread - 1]!.withLines(), code);
      return { ...id, ...(await withLineText(placed)) };
    });
    const histories = () => HandleHistories.of(this.image, reader);
    return {
      ...contents,
      requests: await withHistories(contents.requests, histories),
      ...(openmp === undefined ? {} : { openmp: await withTakenPlaces(openmp, places) }),
      ...{ id, positions: await Promise.all(withLines) },
    };
  }

  /** What was read last, for more questions about it while it stands still. */
  whatWasSeen(): SeenRank {
    const { id, code, stacks, threads } = this.seen!;
    const isHelper = (stack: HeldStack, index: number): boolean =>
      index > 0 && roleOf(stack, code.mpis).helperOf !== undefined;
    return {
      ...{ id, code, image: this.image, mpi: this.decoded!.mpi },
      placeOf: async (address) => (await placesOf(this.image, [address], this.lineReader(), 'source')).get(address),
      threads: stacks.map((stack, index) => ({
        ...{ tid: threads[index]!.tid, stack },
        isHelper: isHelper(stack, index),
      })),
    };
  }

  private lineReader(): LineReader {
    const { gdb, plugins } = this.settings;
    return { gdb, libraries: plugins.libraryCode, process: this.process };
  }

  /** Between looks it keeps no file open. */
  close(): void {
    this.image.invalidate();
  }
}
