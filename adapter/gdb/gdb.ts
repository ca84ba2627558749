/**
 * One running gdb: its settings, and its notifications in typed form. One gdb holds several inferiors in non-stop
 * mode, so every notification names its thread or thread group.
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { withinTime } from '../hosts/time-limit';
import { breakpointOf, type GdbBreakpoint } from './mi/breakpoint-commands';
import { select, type GdbThread, type GdbThreadGroup, type MiCommands } from './mi/context';
import { EvaluationLimit, type GdbProcess } from './mi/evaluation-limit';
import { gdbSet, gdbVersion } from './mi/support-commands';
import { GdbError, GdbLostError, MiConnection } from './mi/mi-connection';
import type { AsyncRecord } from './mi/mi-parser';
import { integer, optionalText, quote, text, type MiTuple } from './mi/mi-values';
import { stopOf, type GdbStop } from './stop-record';
import { minGdbVersion, UnusableGdbError } from './unusable-gdb';

/** Milliseconds until one has answered everything that it is asked first, which takes it a fraction of a second. */
export const maxGdbStart = 30_000;

interface GdbEvents {
  stopped: [GdbStop];
  running: [thread: number | 'all'];
  threadCreated: [thread: number, threadGroup: string];
  threadExited: [thread: number, threadGroup: string];
  groupStarted: [threadGroup: string, pid: number];
  /** exitCode is there when the process called exit. */
  groupExited: [threadGroup: string, exitCode: number | undefined];
  libraryLoaded: [threadGroup: string];
  breakpointChanged: [GdbBreakpoint];
  /** Text that gdb prints: what commands print, warnings, and (log) its messages. */
  printed: [text: string, from: 'console' | 'target' | 'log'];
  /** Threads that gdb reported as running cannot run: they are stopped, without a *stopped. */
  notStarted: [why: string];
  /** Every line of the dialogue, for the log. */
  line: ['>' | '<', string];
  /** Once: this gdb has ended; `how` follows "gdb". */
  closed: [how: string];
}

const settings: readonly (readonly [name: string, value: string])[] = [
  ['confirm', 'off'],
  ['pagination', 'off'],
  ['width', '0'],
  ['height', '0'],
  // gdb 18 writes colours into the messages of errors, where TERM names a terminal that has them.
  ['style enabled', 'off'],
  // Both must be set before anything is attached.
  ['mi-async', 'on'],
  ['non-stop', 'on'],
  // Would ask servers for debug information of every library, and stall where there is no network.
  ['debuginfod enabled', 'off'],
  // Scripts come from gdb's own directories only (the pretty printers of libstdc++ live there), never from a program.
  ['auto-load safe-path', '$debugdir:$datadir/auto-load'],
  ['auto-load gdb-scripts', 'off'],
  ['auto-load local-gdbinit', 'off'],
  // An MPI library opens and closes up to 180 components while it starts: symbols are loaded when a stop is shown.
  ['auto-solib-add', 'off'],
  // Written with every stop; values are asked for when somebody looks.
  ['print frame-arguments', 'presence'],
  ['print entry-values', 'no'],
  // gdb writes console output byte by byte, 10 µs each: source lines with every stop took most of a step's time.
  ['print frame-info', 'location-and-address'],
  ['print symbol-loading', 'off'],
  // Disassembly names C++ functions as stacks do.
  ['print asm-demangle', 'on'],
  ['print thread-events', 'off'],
  ['print inferior-events', 'off'],
  // Not even malloc, for a literal in the condition of a breakpoint: read-only.ts has the exceptions.
  ['may-call-functions', 'off'],
  // A rank that forks or execs stays a rank; its children run free.
  ['follow-fork-mode', 'parent'],
  ['detach-on-fork', 'on'],
];

export class Gdb extends EventEmitter<GdbEvents> implements MiCommands {
  private readonly connection: MiConnection;
  private closedHow: string | undefined;

  private constructor(
    stream: Duplex,
    howEnded: (() => Promise<string>) | undefined,
    process: GdbProcess | undefined,
    /** "13.1" */
    private versionText = '',
  ) {
    super();
    // Each rank that is being attached to listens, and a gdb may have many.
    this.setMaxListeners(0);
    this.connection = new MiConnection(stream, howEnded, process && new EvaluationLimit(process));
    this.connection.on('async', (record) => this.notified(record));
    this.connection.on('stream', (record) => this.emit('printed', record.text, record.kind));
    this.connection.on('retracted', (words) => this.emit('notStarted', reasonIn(words)));
    this.connection.on('line', (direction, line) => this.emit('line', direction, line));
    this.connection.on('closed', (how) => {
      this.closedHow = how;
      this.emit('closed', how);
    });
  }

  /**
   * Takes over a gdb that was started from `path` with -i=mi3 on `stream`. Rejects with UnusableGdbError when it is too old, or does not
   * answer as a gdb does, with GdbLostError when it has ended. `howEnded`: how it has ended, asked when the stream has.
   * `process`: ends what it evaluates without end.
   */
  static async connect(
    path: string,
    stream: Duplex,
    howEnded?: () => Promise<string>,
    process?: GdbProcess,
  ): Promise<Gdb> {
    const gdb = new Gdb(stream, howEnded, process);
    const unusable = (why: string): UnusableGdbError => new UnusableGdbError(`${path} cannot be used as gdb: ${why}`);
    const late = (): Error => unusable(`it does not answer within ${maxGdbStart / 1000} s`);
    try {
      const fault = await withinTime({ milliseconds: maxGdbStart, late }, () => gdb.prepare());
      if (fault !== undefined) throw unusable(fault);
      return gdb;
    } catch (error) {
      gdb.end();
      if (!(error instanceof GdbError) || error instanceof GdbLostError) throw error;
      throw unusable(`it refuses "${error.command}" (${error.message})`);
    }
  }

  get version(): string {
    return this.versionText;
  }

  get isClosed(): boolean {
    return this.connection.isClosed;
  }

  /** Follows "gdb": "was killed by SIGKILL". Undefined while it is there. */
  get howEnded(): string | undefined {
    return this.closedHow;
  }

  command(text: string, settings?: readonly string[]): Promise<MiTuple> {
    return this.connection.command(text, settings);
  }

  console(text: string, at?: GdbThread | GdbThreadGroup, frame?: number): Promise<string> {
    const where = at === undefined ? '' : `${select(at, frame)} `;
    return this.connection.commandOutput(`-interpreter-exec ${where}console ${quote(text)}`);
  }

  /**
   * Runs one command and discards its notifications and answer: gdb writes notifications byte by byte, and those about
   * the libraries of a core file took two thirds of the time to open it. From the second to the last of these lines,
   * gdb's output goes to /dev/null as its log file. They are sent together, so that no other command comes between.
   */
  async quietly(text: string): Promise<void> {
    const toNowhere = [gdbSet(this, 'logging file', '/dev/null'), gdbSet(this, 'logging redirect', 'on')];
    this.connection.tell('-gdb-set logging enabled on');
    this.connection.tell(text);
    await Promise.all([...toNowhere, gdbSet(this, 'logging enabled', 'off'), gdbSet(this, 'logging redirect', 'off')]);
  }

  /** Closes the dialogue: gdb reads the end of its input, detaches from what it holds, and ends. */
  end(): void {
    this.connection.end();
  }

  /** Answers what is wrong with it. */
  private async prepare(): Promise<string | undefined> {
    this.versionText = await gdbVersion(this);
    if (this.versionText === '') return 'it does not report the version of a gdb';
    if (parseInt(this.versionText, 10) < minGdbVersion) return `gdb ${this.versionText} is too old`;
    await Promise.all(settings.map(([name, value]) => gdbSet(this, name, value)));
    await this.command('-enable-pretty-printing');
    // The launcher ends ranks with SIGTERM (after SIGCONT): not an event for the user.
    await this.console('handle SIGTERM SIGCONT nostop noprint pass');
    // With many threads gdb 13 takes the SIGSTOP of its own attaching for the program's, and would stop the rank with it.
    await this.console('handle SIGSTOP nopass');
    // A gdb that crashes is reported; its own core file, of hundreds of MB, would lie among the user's.
    await this.console('maintenance set internal-error corefile no');
    return undefined;
  }

  private notified(record: AsyncRecord): void {
    const { results } = record;
    switch (record.class) {
      case 'stopped':
        this.emit('stopped', stopOf(results));
        break;
      case 'running': {
        const thread = text(results, 'thread-id');
        this.emit('running', thread === 'all' ? 'all' : Number(thread));
        break;
      }
      case 'thread-created':
        this.emit('threadCreated', integer(results, 'id'), text(results, 'group-id'));
        break;
      case 'thread-exited':
        this.emit('threadExited', integer(results, 'id'), text(results, 'group-id'));
        break;
      case 'thread-group-started':
        this.emit('groupStarted', text(results, 'id'), integer(results, 'pid'));
        break;
      case 'thread-group-exited': {
        // Octal, as in "exited with code 05".
        const code = optionalText(results, 'exit-code');
        this.emit('groupExited', text(results, 'id'), code === undefined ? undefined : parseInt(code, 8));
        break;
      }
      case 'library-loaded':
        this.emit('libraryLoaded', text(results, 'thread-group'));
        break;
      case 'breakpoint-created':
      case 'breakpoint-modified':
        this.emit('breakpointChanged', breakpointOf(results));
        break;
    }
  }
}

/** gdb's warning, without the prefix of every warning. */
function reasonIn(words: readonly string[]): string {
  const lines = words.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  const told = lines.filter((line) => line !== 'Warning:' && line !== 'Command aborted.');
  return (told.length === 0 ? lines : told).join(' ');
}
