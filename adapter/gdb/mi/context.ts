/**
 * What a command of the chapters acts on. Every command names its thread or thread group: gdb's "current thread" is
 * shared by all ranks of that gdb and is never relied on.
 */
import type { MiTuple } from './mi-values';

/** As gdb takes an expression apart: `/=` compares in Fortran, and may do so where the language is not known. */
export type ExpressionSyntax = 'c' | 'fortran' | 'unknown';

/** Something that runs MI commands: a Gdb, or a bare connection in a test. */
export interface MiCommands {
  /**
   * Sends one MI command without its token ("-thread-info"). Rejects with GdbError. `settings`, as in "may-write-memory
   * off", hold for this command alone, within which gdb does nothing else.
   */
  command(text: string, settings?: readonly string[]): Promise<MiTuple>;
  /**
   * Runs one command of gdb's own language ("info sharedlibrary") and answers what it printed. `frame`, of a thread:
   * the one that is selected meanwhile. Not with `frame apply`, whose output gdb 18 wraps in MI a second time.
   */
  console(text: string, at?: GdbThread | GdbThreadGroup, frame?: number): Promise<string>;
}

/** A gdb that can run a command silently. */
export interface QuietMiCommands extends MiCommands {
  quietly(text: string): Promise<void>;
}

/** One thread of one inferior. */
export interface GdbThread {
  readonly gdb: MiCommands;
  /** gdb's global thread number. */
  readonly gdbThread: number;
  /** Why no value of the program can be read; gdb would show the initial values from its files instead. */
  readonly whyNoValues?: string | undefined;
  /** Nothing that is evaluated may change the program; how gdb reads expressions there. See read-only.ts. */
  readonly readOnlySyntax?: ExpressionSyntax | undefined;
  /** The user types at a console of this thread: what is evaluated may call functions of the program. */
  readonly mayCallFunctions?: true | undefined;
}

/** One inferior. */
export interface GdbThreadGroup {
  readonly gdb: MiCommands;
  /** "i1" */
  readonly threadGroup: string;
}

/**
 * The options that select a thread or an inferior, and a frame (0 is the innermost).
 *
 * Whatever reads memory or symbols names a thread: with --thread-group, gdb 13 may have no thread selected, reads no
 * memory then, and `sharedlibrary` for one unloads all its libraries (measured). Groups are for running and attaching.
 */
export function select(at: GdbThread | GdbThreadGroup, frame?: number): string {
  const where = 'gdbThread' in at ? `--thread ${at.gdbThread}` : `--thread-group ${at.threadGroup}`;
  return frame === undefined ? where : `${where} --frame ${frame}`;
}
