/** A process of a host: what its kernel tells about it. Whether there is such a process, asking tells. */
import { unlessShort } from '../elf/shortage-error';
import type { Host, HostFile, ProcessMemory } from './host';
import { explainProcessError, ProcessAccessError, processExited } from './process-access-error';
import { ProcessDescriptors } from './process-descriptors';
import type { ProcessLife } from './process-life';
import { parseMaps, type LiveMapping } from './process-maps';

export interface ProcessStatus {
  pid: number;
  /** The pid of the process; another one than `pid` where that is of one of its threads. */
  process: number;
  parent: number;
  /** As in proc(5): "R", "S", "D", "T", "Z", … */
  state: string;
  /** The process that traces it; 0: none. */
  tracer: number;
  uid: number;
  name: string;
}

export class HostProcess {
  /** Through which the kernel shows what all threads have in common: the process itself, unless its first thread alone has ended. */
  private thread: number;
  private parsed: { text: string; mappings: readonly LiveMapping[] } | undefined;
  private started: Promise<number> | undefined;

  constructor(
    readonly host: Host,
    readonly pid: number,
  ) {
    this.thread = pid;
  }

  openMemory(): ProcessMemory {
    return this.host.openMemory(this.thread);
  }

  /** Ascending; see parseMaps. Rejects with ProcessAccessError. */
  async maps(): Promise<readonly LiveMapping[]> {
    return this.mappingsIn(await this.mapsText());
  }

  /** The mappings in the text of its maps. Several ask at each stop, and find the same. */
  mappingsIn(text: string): readonly LiveMapping[] {
    if (this.parsed?.text !== text) this.parsed = { text, mappings: parseMaps(text) };
    return this.parsed.mappings;
  }

  /** As the kernel writes it. Rejects with ProcessAccessError. */
  async mapsText(): Promise<string> {
    const text = await this.readMaps();
    if (text.length > 0) return text.toString('utf8');
    // The map of a first thread that has ended is empty, whether or not others go on.
    const reached = await this.reachable();
    if (reached === undefined || reached.pid === this.thread) throw processExited(this.pid);
    this.thread = reached.pid;
    const again = await this.readMaps();
    if (again.length === 0) throw processExited(this.pid);
    return again.toString('utf8');
  }

  /** Asks with the folder of /proc where the process shows what its threads have in common, once more where the first thread has ended. */
  private async shown<T>(ask: (folder: string) => Promise<T>): Promise<T> {
    try {
      return await ask(`/proc/${this.thread}`);
    } catch (error) {
      const reached = await this.reachable();
      if (reached === undefined || reached.pid === this.thread) throw error;
      this.thread = reached.pid;
      return ask(`/proc/${this.thread}`);
    }
  }

  private readMaps(): Promise<Buffer> {
    return this.read('maps').catch((error: unknown) => {
      throw explainProcessError(this.pid, error);
    });
  }

  /** Undefined when there is no such process. */
  async status(): Promise<ProcessStatus | undefined> {
    const status = await this.read('status').catch(unlessShort(undefined));
    if (status === undefined) return undefined;
    const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S*)`, 'm').exec(status.toString())?.[1] ?? '';
    return {
      pid: this.pid,
      process: Number(field('Tgid')) || this.pid,
      parent: Number(field('PPid')),
      state: field('State'),
      tracer: Number(field('TracerPid')),
      uid: Number(field('Uid')),
      name: field('Name'),
    };
  }

  /** The session ID, as getsid(2) returns it; undefined: there is no such process. */
  async session(): Promise<number | undefined> {
    const stat = (await this.read('stat').catch(unlessShort(undefined)))?.toString('latin1');
    // Behind the name, which may have anything in it: state, parent, process group, session.
    const session = /.*\) \S+ -?\d+ -?\d+ (\d+) /s.exec(stat ?? '')?.[1];
    return session === undefined ? undefined : Number(session);
  }

  /** One text for each sleep that a thread is in and that no signal ends: another text for the thread's next one. */
  async uninterruptibleSleeps(): Promise<string[]> {
    const threads = await this.host.list(`/proc/${this.pid}/task`).catch(unlessShort([]));
    const texts = await Promise.all(
      threads.map((thread) => new HostProcess(this.host, Number(thread)).read('status').catch(unlessShort(undefined))),
    );
    return texts.flatMap((text, index) =>
      text !== undefined && /^State:\s*D/m.test(text.toString())
        ? [`${threads[index]} ${/^voluntary_ctxt_switches:\s*(\d+)/m.exec(text.toString())?.[1]}`]
        : [],
    );
  }

  /** The pids of those that its threads have started. Empty where the kernel does not tell. */
  async children(): Promise<number[]> {
    const threads = await this.host.list(`/proc/${this.pid}/task`).catch(unlessShort([]));
    const lists = await Promise.all(
      threads.map((thread) => this.read(`task/${thread}/children`).catch(unlessShort(undefined))),
    );
    return lists.flatMap(
      (text) =>
        text
          ?.toString()
          .split(' ')
          .filter((word) => /^\d+$/.test(word))
          .map(Number) ?? [],
    );
  }

  /**
   * Through which the process can be looked at: itself, or, where its first thread alone has ended, the last one of its other threads.
   * undefined: it has ended, and nobody has waited for it.
   */
  async reachable(): Promise<HostProcess | undefined> {
    if ((await this.status())?.state !== 'Z') return this;
    const threads = await this.host.list(`/proc/${this.pid}/task`).catch(unlessShort([]));
    for (const thread of threads.map(Number).sort((a, b) => b - a)) {
      const reached = new HostProcess(this.host, thread);
      const status = await reached.status();
      if (status !== undefined && status.state !== 'Z' && status.state !== 'X') return reached;
    }
    return undefined;
  }

  /** Whether a signal or a debugger has stopped one of its threads: in a process that is being killed, none is stopped. */
  async hasStoppedThread(): Promise<boolean> {
    return (await this.threadStates()).some((state) => state === 't' || state === 'T');
  }

  /** How many of its threads have not ended. */
  async livingThreads(): Promise<number> {
    return (await this.threadStates()).filter((state) => state !== undefined && !'ZX'.includes(state)).length;
  }

  private async threadStates(): Promise<(string | undefined)[]> {
    const threads = await this.host.list(`/proc/${this.pid}/task`).catch(unlessShort([]));
    return Promise.all(
      threads.map(async (thread) => (await new HostProcess(this.host, Number(thread)).status())?.state),
    );
  }

  /** It goes on with its other threads, as after pthread_exit in main. */
  async hasLostFirstThread(): Promise<boolean> {
    const process = (await this.status())?.process ?? this.pid;
    const first = new HostProcess(this.host, process);
    return (await first.status())?.state === 'Z' && (await first.reachable()) !== undefined;
  }

  /** The same file is behind a name for it and for the processes that its host has started for us. */
  async seesOurFiles(): Promise<boolean> {
    const own = await Promise.all(['ns/mnt', 'root'].map((name) => this.host.readLink(`/proc/self/${name}`))).catch(
      unlessShort(undefined),
    );
    return own !== undefined && (await this.fileView()) === own.join(' ');
  }

  /** How long its first thread has run, in milliseconds; undefined where the kernel does not count it. */
  async processorTime(): Promise<number | undefined> {
    const text = await this.read('schedstat').catch(unlessShort(undefined));
    const nanoseconds = /^\d+/.exec(text?.toString() ?? '')?.[0];
    return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
  }

  /** Rejects with ProcessAccessError. */
  async life(): Promise<ProcessLife> {
    const [life] = await this.host.lives([this.pid]).catch((error: unknown) => {
      throw explainProcessError(this.pid, error);
    });
    if (life === undefined) throw processExited(this.pid);
    return life;
  }

  /** Seconds since 1970, by the clock of its host. Rejects with ProcessAccessError, or an error that has a `code`. */
  startedAt(): Promise<number> {
    // Each of its 200 libraries is compared with it.
    this.started ??= this.readStart().catch((error: unknown) => {
      this.started = undefined;
      throw error;
    });
    return this.started;
  }

  private async readStart(): Promise<number> {
    const [{ startTime }, booted] = await Promise.all([this.life(), bootTime(this.host)]);
    return booted + Number(startTime) / ticksPerSecond;
  }

  /** That it was started with; empty when it may not be read. Of two entries with one name the first counts, as for getenv. */
  async environment(): Promise<ReadonlyMap<string, string>> {
    const variables = new Map<string, string>();
    const text = await this.read('environ').catch(unlessShort(Buffer.alloc(0)));
    for (const entry of text.toString('utf8').split('\0')) {
      const equals = entry.indexOf('=');
      const name = entry.slice(0, equals);
      if (equals > 0 && !variables.has(name)) variables.set(name, entry.slice(equals + 1));
    }
    return variables;
  }

  /** Whether the kernel keeps from us what it was started with. */
  async isForbidden(): Promise<boolean> {
    try {
      await this.read('environ');
      return false;
    } catch (error) {
      const told = explainProcessError(this.pid, error);
      if (!(told instanceof ProcessAccessError)) throw told;
      return told.why === 'forbidden';
    }
  }

  /** The program and its arguments; undefined when they may not be read. */
  async arguments(): Promise<string[] | undefined> {
    const text = (await this.read('cmdline').catch(unlessShort(Buffer.alloc(0)))).toString('utf8');
    return text === '' ? undefined : text.replace(/\0$/, '').split('\0');
  }

  /** Rejects with an error that has a `code`. */
  workingDirectory(): Promise<string> {
    return this.shown((folder) => this.host.readLink(`${folder}/cwd`));
  }

  /** A path on its host that leads to its program, whatever has become of that. */
  get programFile(): string {
    return `/proc/${this.thread}/exe`;
  }

  /** Path of the program, as the process sees it; undefined where it may not be seen. */
  async program(): Promise<string | undefined> {
    return (await this.programLink())?.replace(/ \(deleted\)$/, '');
  }

  /** The kernel's name of the program, which tells a debugger where it is; with " (deleted)" where its file is gone. */
  programLink(): Promise<string | undefined> {
    return this.shown((folder) => this.host.readLink(`${folder}/exe`)).catch(unlessShort(undefined));
  }

  /** In its mount namespace; undefined where it may not be seen. */
  rootDirectory(): Promise<string | undefined> {
    return this.shown((folder) => this.host.readLink(`${folder}/root`)).catch(unlessShort(undefined));
  }

  /** Its number in its own process namespace, which the /proc of its mount namespace has. */
  async pidInside(): Promise<number> {
    const status = await this.read('status').catch(unlessShort(Buffer.alloc(0)));
    return Number(/^NSpid:.*\s(\d+)$/m.exec(status.toString())?.[1] ?? this.pid);
  }

  /**
   * Processes with the same one find the same file behind a name: the name of their mount namespace and their root directory.
   * undefined where it may not be seen.
   */
  async fileView(): Promise<string | undefined> {
    const names = await this.shown((folder) =>
      Promise.all(['ns/mnt', 'root'].map((name) => this.host.readLink(`${folder}/${name}`))),
    ).catch(unlessShort(undefined));
    return names?.join(' ');
  }

  /** The file of its program, also when that has been removed. Rejects with an error that has a `code`, as the next two do. */
  openProgram(): Promise<HostFile> {
    return this.shown((folder) => this.host.openFile(`${folder}/exe`));
  }

  /** The file that has this name now, in the root directory of the process (containers). */
  openNamed(path: string): Promise<HostFile> {
    return this.host.openFile(`/proc/${this.thread}/root${path}`);
  }

  /**
   * The paths at which programs of this machine may find what it has loaded under this name: by itself, in its root directory
   * (containers), and, of its program, whatever has become of the name.
   */
  pathsHere(path: string, { isExecutable }: { isExecutable: boolean }): readonly string[] {
    if (this.host.startHelper !== undefined) return [path];
    return [path, `/proc/${this.thread}/root${path}`, ...(isExecutable ? [this.programFile] : [])];
  }

  /** States of the files that have these names now, as Host.fileStates. */
  namedStates(paths: readonly string[]): Promise<(string | undefined)[]> {
    return this.host.fileStates(paths.map((path) => `/proc/${this.thread}/root${path}`));
  }

  /** The file behind a mapping, which needs privileges. */
  openMapped(mapping: { start: bigint; end: bigint }): Promise<HostFile> {
    return this.host.openFile(mappingLink(this.thread, mapping));
  }

  get descriptors(): ProcessDescriptors {
    return new ProcessDescriptors(this.host, this.thread);
  }

  /**
   * The system call that a thread is in, and its six arguments, by the kernel's numbers of its processor. undefined: it is in none, or that may not be
   * seen.
   */
  async systemCall(tid: number): Promise<{ number: number; args: readonly bigint[] } | undefined> {
    const text = (await this.read(`task/${tid}/syscall`).catch(unlessShort(Buffer.alloc(0)))).toString();
    const [number = '', ...words] = text.trim().split(' ');
    // Behind them the stack pointer and the program counter.
    if (!/^\d+$/.test(number) || words.length < 6) return undefined;
    return { number: Number(number), args: words.slice(0, 6).map(BigInt) };
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.host.signal(this.pid, signal).catch((error: unknown) => {
      if (!(explainProcessError(this.pid, error) instanceof ProcessAccessError)) throw error;
    });
  }

  private read(
    what: 'maps' | 'status' | 'environ' | 'cmdline' | 'schedstat' | 'stat' | `task/${string}/${'children' | 'syscall'}`,
  ): Promise<Buffer> {
    const thread = what === 'status' ? this.pid : this.thread;
    return this.host.readFile(`/proc/${thread}/${what}`);
  }
}

/** All that the host has. */
export async function processesOf(host: Host): Promise<HostProcess[]> {
  const names = await host.list('/proc');
  return names.filter((name) => /^\d+$/.test(name)).map((name) => new HostProcess(host, Number(name)));
}

/** What leads to the file of a mapping, whatever has become of its name; needs privileges. */
export function mappingLink(pid: number, { start, end }: { start: bigint; end: bigint }): string {
  return `/proc/${pid}/map_files/${start.toString(16)}-${end.toString(16)}`;
}

/** USER_HZ, the unit of times in /proc: 100 on every processor that Node runs on. */
const ticksPerSecond = 100;

const bootTimes = new WeakMap<Host, Promise<number>>();

/** Seconds since 1970. */
function bootTime(host: Host): Promise<number> {
  const known = bootTimes.get(host);
  if (known !== undefined) return known;
  const reading = host
    .readFile('/proc/stat')
    .then((text) => Number(/^btime (\d+)$/m.exec(text.toString('latin1'))?.[1]));
  bootTimes.set(host, reading);
  reading.catch(() => bootTimes.delete(host));
  return reading;
}
