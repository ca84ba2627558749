/** What a process keeps in a file without a name outlives it for whoever holds the file: the region of the collector, after kill -9. */
import type { Module, ProcessImage } from '../../../plugin-api/image';
import { QueryError } from '../../../plugin-api/result';
import type { HostFile } from '../../hosts/host';
import type { HostProcess } from '../../hosts/host-process';
import type { LiveMapping } from '../../hosts/process-maps';
import { unlessShort } from '../../elf/shortage-error';
import { ForwardedImage } from '../forwarded-image';
import type { EpochImage } from '../epoch-image';

interface Held {
  mapping: LiveMapping;
  file: HostFile;
  /** When it was opened. */
  modules: readonly Module[];
}

/** The file, held from the first time that the process has it. */
export class LastingMemory {
  private held: Held | undefined;
  private hasEnded = false;

  /** `path`: of the mapping, as the kernel names it. */
  constructor(
    private readonly process: HostProcess,
    private readonly path: RegExp,
  ) {}

  /** True once the process was found to have ended. */
  get outlives(): boolean {
    return this.hasEnded;
  }

  /** Opens the file if it is not held yet. False: the process has none, or keeps no descriptor of it. Never rejects for the process. */
  async hold(image: ProcessImage): Promise<boolean> {
    this.held ??= await this.open(image).catch(unlessShort(undefined));
    return this.held !== undefined;
  }

  private async open(image: ProcessImage): Promise<Held | undefined> {
    const { process, path } = this;
    const mapping = (await process.maps()).find((each) => path.test(each.path));
    if (mapping === undefined) return undefined;
    const modules = await image.modules();
    const file = await process.descriptors.open((target) => path.test(target));
    if (file === undefined || file.inode === mapping.inode) return file && { mapping, file, modules };
    file.close();
    return undefined;
  }

  /** After a read has failed: of a process that has ended; undefined: it runs, or these bytes are not in the file, or it is not held. */
  async read(address: bigint, length: number): Promise<Uint8Array | undefined> {
    this.hasEnded ||= await this.checkEnd();
    if (!this.hasEnded || this.held === undefined) return undefined;
    const { mapping, file } = this.held;
    if (address < mapping.start || address + BigInt(length) > mapping.end) return undefined;
    return file.read(Number(address - mapping.start) + mapping.offset, length);
  }

  /** One that executes another program has lost this memory, too, and goes on. */
  private async checkEnd(): Promise<boolean> {
    const reached = await this.process.reachable();
    return reached === undefined || (await reached.status()) === undefined;
  }

  modules(): readonly Module[] | undefined {
    return this.held?.modules;
  }

  close(): void {
    this.held?.file.close();
    this.held = undefined;
  }
}

/** The image of the process, and after its end of what is held. */
export class LastingImage extends ForwardedImage {
  constructor(
    image: EpochImage,
    private readonly lasting: LastingMemory,
  ) {
    super(image);
  }

  override async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    try {
      return await super.readMemory(address, length);
    } catch (error) {
      const kept = error instanceof QueryError ? await this.lasting.read(address, length) : undefined;
      if (kept === undefined) throw error;
      return kept;
    }
  }

  override async modules(): Promise<readonly Module[]> {
    try {
      return await super.modules();
    } catch (error) {
      const kept = this.lasting.outlives ? this.lasting.modules() : undefined;
      if (kept === undefined) throw error;
      return kept;
    }
  }
}
