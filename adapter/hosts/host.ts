/**
 * Host: the only access to a machine's processes and files. One is the local machine (local-host.ts); another can
 * answer through an agent. Users of a Host do not know which it is: every call is asynchronous, and host-process.ts
 * parses what the kernel writes, so that a Host has little to do.
 */
import type { Duplex } from 'node:stream';
import type { DistantFile } from '../elf/distant-bytes';
import type { ProcessLife } from './process-life';

/** away: out of reach; its agent reconnects when it can. gone: its agent will not reconnect. */
export type HostReach = 'inReach' | 'away' | 'gone';

export interface Host {
  /** As its kernel calls it. */
  readonly name: string;

  /** Absent: it is always in reach. */
  readonly reach?: HostReach;

  /** All of a file that the kernel or the system writes. Rejects with an error that has a `code` ("ENOENT"), as the next three do. */
  readFile(path: string): Promise<Buffer>;

  /** The target of a symbolic link. */
  readLink(path: string): Promise<string>;

  /** The names in a folder. */
  list(folder: string): Promise<string[]>;

  /** The life of each of these processes; undefined when there is no such process. Rejects with an error that has a `code`. */
  lives(pids: readonly number[]): Promise<(ProcessLife | undefined)[]>;

  /** One text for each of these names, another one when it leads to another file or content; undefined where there is none. Rejects only with a lost host. */
  fileStates(paths: readonly string[]): Promise<(string | undefined)[]>;

  /** A regular file; ElfError for another one. */
  openFile(path: string): Promise<HostFile>;

  /** The process need not exist: reading shows. */
  openMemory(pid: number): ProcessMemory;

  /**
   * What its TCP connections have carried, as tcp-counters.pl prints it. Rejects where the kernel does not say; absent: nobody can ask
   * it.
   */
  tcpCounters?(): Promise<string>;

  /**
   * For another machine: the name of a Unix socket there, at which programs of the user reach us. Rejects with an error that has a
   * `code`, or where the host is lost.
   */
  listen?(serve: (visitor: Duplex) => void): Promise<string>;

  /**
   * For another machine: runs a text in Perl there, in the words of agent.pl, and resolves with its standard input and output. It ends with this
   * connection. Rejects with a sentence for the user.
   */
  startHelper?(name: string, text: string): Promise<Duplex>;

  /** Rejects with an error that has a `code`. */
  signal(pid: number, signal: NodeJS.Signals): Promise<void>;
}

/** A host whose processes can be debugged. */
export interface GdbHost extends Host {
  /** `path`: a file, or a name in the PATH there. Rejects with a sentence for the user when nothing can be started there. */
  startGdb(path: string, without?: readonly string[]): Promise<StartedGdb>;
}

export interface HostFile extends DistantFile {
  readonly inode: bigint;
  /** When its content or its inode last changed, by the clock of its file system: seconds since 1970. */
  readonly changed: number;
}

/**
 * The memory of a process, as it is: while a gdb in non-stop mode has breakpoints in it, code shows them (0xCC on x86-64).
 * For data only.
 */
export interface ProcessMemory {
  /** Exactly `length` bytes. Rejects with FaultError for unreadable bytes, with ProcessAccessError when nothing can be read at all. */
  read(address: bigint, length: number): Promise<Uint8Array>;
  /**
   * The process may have run or executed another program: forgets what is known about its memory. The next read starts
   * afresh.
   */
  close(): void;
  /** Much of these will be read soon: where a read takes long, they are read together. */
  expect?(ranges: readonly MemoryRange[]): void;
}

export interface MemoryRange {
  readonly start: bigint;
  /** Bytes. */
  readonly length: number;
}

/** What happens to a process when its gdb is lost: it runs on, is ended, or is stopped as it was before. */
export type WhenLost = 'continue' | 'kill' | 'stop';

/** How a gdb has ended. */
export type GdbEnd =
  | { readonly kind: 'notRun'; readonly reason: string }
  /** `how` follows "gdb": "was killed by SIGKILL". */
  | { readonly kind: 'ended'; readonly how: string };

/** A process that does what it is told. */
export interface StartedProcess {
  /** Milliseconds that its first thread has computed; undefined: not known. */
  processorTime(): Promise<number | undefined>;
  /** Sends it SIGINT, if it is still there. */
  interrupt(): Promise<void>;
}

/** A gdb, and beside it somebody who leaves no process stopped when the gdb or the debugger dies. */
export interface StartedGdb {
  /** The dialogue in MI: gdb was started with -i=mi3. */
  readonly mi: Duplex;
  /** gdb itself; never rejects. */
  readonly process: StartedProcess;
  /** The guardian takes care of this process from now on. */
  hold(pid: number, then: WhenLost): void;
  forget(pid: number): void;
  /** Why a gdb has ended whose dialogue is over. Never rejects. */
  whyEnded(): Promise<GdbEnd>;
  /** The last line that it wrote to its standard error; whole when `end` has resolved. */
  lastWords(): string;
  /** Ends gdb, which lets go of what it still holds; resolves when nothing of it is left. */
  end(): Promise<void>;
}
