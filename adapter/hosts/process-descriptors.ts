/** The open file descriptors of a process, as /proc shows them. */
import { unlessShort } from '../elf/shortage-error';
import type { Host, HostFile } from './host';

/** Bits of the flags of open(2) in /proc/PID/fdinfo, which are octal. */
const [accessMode, writeOnly] = [3, 1];

export class ProcessDescriptors {
  private readonly folder: string;

  /** `thread`: one of the process, as /proc has it. */
  constructor(
    private readonly host: Host,
    private readonly thread: number,
  ) {
    this.folder = `/proc/${thread}/fd`;
  }

  /** What one leads to, as the kernel names it: "pipe:[812]"; undefined where it may not be seen. */
  target(descriptor: number): Promise<string | undefined> {
    return this.host.readLink(`${this.folder}/${descriptor}`).catch(unlessShort(undefined));
  }

  /** The text of /proc/PID/fdinfo for one, see proc(5); undefined where it may not be read. */
  info(descriptor: number): Promise<string | undefined> {
    return this.host.readFile(`/proc/${this.thread}/fdinfo/${descriptor}`).then(String, unlessShort(undefined));
  }

  /** Whether one is open for writing alone; undefined: it is open both ways, or that is not known. */
  async isForWriting(descriptor: number): Promise<boolean | undefined> {
    const flags = /^flags:\s*([0-7]+)$/m.exec((await this.info(descriptor)) ?? '')?.[1];
    const mode = flags === undefined ? undefined : parseInt(flags, 8) & accessMode;
    return mode === undefined || mode > writeOnly ? undefined : mode === writeOnly;
  }

  /** Their targets; none where they may not be seen. */
  async targets(): Promise<string[]> {
    return [...(await this.all()).values()];
  }

  /** Those that lead to this target. */
  async leadingTo(target: string): Promise<number[]> {
    return [...(await this.all())].flatMap(([descriptor, to]) => (to === target ? descriptor : []));
  }

  /** The file of the first one whose target is wanted; undefined: none. Rejects with an error that has a `code`. */
  async open(isWanted: (target: string) => boolean): Promise<HostFile | undefined> {
    for (const name of await this.host.list(this.folder)) {
      const path = `${this.folder}/${name}`;
      const target = await this.host.readLink(path).catch(unlessShort(''));
      if (isWanted(target)) return this.host.openFile(path);
    }
    return undefined;
  }

  private async all(): Promise<Map<number, string>> {
    const numbers = (await this.host.list(this.folder).catch(unlessShort([]))).map(Number);
    const targets = await Promise.all(numbers.map((number) => this.target(number)));
    return new Map(
      numbers.flatMap((number, at) => (targets[at] === undefined ? [] : [[number, targets[at]] as const])),
    );
  }
}
