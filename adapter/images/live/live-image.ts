/** A live process, read directly from its host: no debugger, no code run in it, and it need not be stopped. */
import type { Search } from '../../../plugin-api/image';
import type { ProcessMemory } from '../../hosts/host';
import type { HostProcess } from '../../hosts/host-process';
import { processExited } from '../../hosts/process-access-error';
import type { LiveMapping } from '../../hosts/process-maps';
import { searchAllocated } from '../allocated-memory';
import type { EpochImage } from '../epoch-image';
import { LinkedImage } from '../modules/linked-image';
import type { LinkedModules } from '../modules/linked-modules';
import { OfEpoch } from '../of-epoch';
import { likelyReads } from './likely-reads';
import { liveModulesOf, type Mapped } from './live-modules';

/**
 * For data: code may show a debugger's breakpoints (see ProcessMemory). Knows no debug information.
 * Every method but environment() rejects with ProcessAccessError when the process has exited or may not be read.
 */
export class LiveImage extends LinkedImage implements EpochImage {
  readonly target = 'live';
  private readonly process: HostProcess;
  private readonly memory: ProcessMemory;
  /** When the process that was looked at first began. */
  private startTime: string | undefined;
  /** After the process has run it may have ended, and another one may have its pid. */
  private readonly same = new OfEpoch(() => this.checkProcess());
  /** The environment that its program was started with: it may have executed another one. */
  private readonly started = new OfEpoch(() => this.process.environment());
  /** After the process has run libraries may have come or gone. */
  protected readonly linked = new OfEpoch(() => this.linkModules());
  private expectedFor: Mapped | undefined;

  /** `isOfMpi`: whose variables are likely to be read, by path; of a process of another host they are fetched early. */
  constructor(
    process: HostProcess,
    private readonly isOfMpi: (path: string) => boolean = () => false,
  ) {
    super();
    this.process = process;
    this.memory = process.openMemory();
  }

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    await this.same.get();
    return this.memory.read(address, length);
  }

  async findAllocated(word: number): Promise<Search> {
    await this.same.get();
    const areas = (await this.process.maps()).filter(isAllocated);
    const sized = areas.map(({ start, end }) => ({ start, size: Number(end - start) }));
    return searchAllocated(sized, this.memory, word, 'live');
  }

  environment(): Promise<ReadonlyMap<string, string>> {
    return this.started.get();
  }

  /** Libraries may have been loaded, or another program executed. */
  invalidate(): void {
    this.close();
  }

  /** Closes its file. Later reads open it again. */
  close(): void {
    this.memory.close();
    this.same.forget();
    this.started.forget();
    this.linked.forget();
  }

  private async checkProcess(): Promise<void> {
    const { startTime } = await this.process.life();
    this.startTime ??= startTime;
    if (startTime !== this.startTime) throw processExited(this.process.pid);
  }

  private async linkModules(): Promise<LinkedModules> {
    // Whoever decodes MPI asks for it next: of another host it is on its way by then.
    this.started.get().catch(() => undefined);
    const reading = liveModulesOf(this.process, this.memory, (mapped) => this.expectReads(mapped));
    const [linked] = await Promise.all([reading, this.same.get()]);
    return linked;
  }

  /** Whoever asks for its modules decodes its memory next. */
  private expectReads(mapped: Mapped): void {
    if (this.expectedFor === mapped) return;
    this.expectedFor = mapped;
    this.memory.expect?.(likelyReads(mapped.mappings, mapped.program, this.isOfMpi));
  }
}

/** The heap, and memory without a name, or with one that its owner gave it. */
function isAllocated({ path, writable, shared }: LiveMapping): boolean {
  return writable && !shared && /^(\[heap\]|\[anon:.*\])?$/.test(path);
}
