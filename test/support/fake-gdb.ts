/**
 * A gdb that plays scripts. A script reads like the log of a dialogue: `>` is what mpidbg has to send next, `<` is what
 * gdb writes then. Tokens are the script's own; a command that gdb answers in the background (see `background`) is in a
 * script only when its place in the dialogue matters.
 *
 *     > 1-exec-next --thread 3
 *     < 1^running
 *     < *running,thread-id="3"
 *     < *stopped,reason="end-stepping-range",thread-id="3",stopped-threads=["3"]
 */
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { Gdb } from '../../adapter/gdb/gdb';

/** How what gdb writes at once arrives: all of it in one piece, or each line alone, with all that follows from it done. */
export const arrivals = ['in one piece', 'line by line'] as const;
export type Arrival = (typeof arrivals)[number];

/** Turns of the event loop without a command after which none follows any more: an answer takes two or three to be taken. */
const quietTurns = 6;

/** What gdb answers in the background, by the command. */
const background: readonly (readonly [command: RegExp, answer: (match: RegExpExecArray) => string])[] = [
  [/^-gdb-set |^-enable-pretty-printing$/, () => '^done'],
  [/"show version"$/, () => '~"GNU gdb (Debian 13.1-3) 13.1\\n"\n^done'],
  // Nothing is wrong with the expression of a rule.
  [/console "python import base64; _mpidbg_check\.tell\(/, () => '~"null\\n"\n^done'],
  [/console "(handle|maintenance|python|condition|sharedlibrary)\b/, () => '^done'],
  [/console "catch load"$/, () => '~"Catchpoint 99 (load)\\n"\n^done'],
  [/console "catch unload"$/, () => '~"Catchpoint 98 (unload)\\n"\n^done'],
  [/^-thread-info (\d+)$/, ([, id]) => `^done,threads=[{id="${id}",name="program",state="stopped"}]`],
];

const programFrame = 'frame={level="0",addr="0x1139",func="work",fullname="/program.c",line="1"}';
const helperFrame = 'frame={level="0",addr="0x7f39",func="poll",from="/lib/libucs.so.0"}';

interface Command {
  token: string;
  text: string;
}

export class FakeGdb extends Duplex {
  /** gdb's numbers of the threads that belong to the MPI library. */
  readonly helpers = new Set<number>();
  private readonly waiting: Command[] = [];
  private readonly tokens = new Map<string, string>();
  /** How many commands have come. */
  private received = 0;
  /** What the script that is played has mpidbg send yet: not answered in the background. */
  private expected: string[] = [];

  constructor(private readonly arrival: Arrival) {
    super();
  }

  /** A dialogue with it that is ready. */
  connect(): Promise<Gdb> {
    return Gdb.connect('gdb', this);
  }

  /** Plays the script to its end. Fails when mpidbg sends anything else, also behind the end, or stays silent. */
  async plays(script: string): Promise<void> {
    const lines = script.split('\n').flatMap((line) => line.trim() || []);
    this.expected = lines.flatMap((line) => /^> \d+(.*)$/.exec(line)?.[1] ?? []);
    let says: string[] = [];
    for (const line of lines) {
      const [, label, command] = /^> (\d+)(.*)$/.exec(line) ?? [];
      if (label === undefined || command === undefined) {
        assert.match(line, /^< /, 'a line of a script');
        says.push(this.withToken(line.slice(2)));
      } else {
        await this.says(says);
        says = [];
        await this.hears(label, command);
      }
    }
    await this.says(says);
    await this.silence();
    assert.deepEqual(this.unplayed, [], 'mpidbg sends more than the script has');
  }

  /** What mpidbg has sent and no script has taken. */
  get unplayed(): readonly string[] {
    return this.waiting.map(({ text }) => text);
  }

  /** Its process ends. */
  dies(): void {
    this.push(null);
  }

  /** Until mpidbg has sent everything that it sends by itself. */
  async silence(): Promise<void> {
    for (let quiet = 0, known = this.received; quiet < quietTurns; quiet += 1) {
      await nextTurn();
      if (this.received !== known) [quiet, known] = [0, this.received];
    }
  }

  override _read(): void {
    // What gdb says is pushed when it is said.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString().split('\n').slice(0, -1)) this.receive(line);
    done();
  }

  private receive(line: string): void {
    const [, outer = '', whole = ''] = /^(\d*)(.*)$/.exec(line) ?? [];
    const { token, text } = within(outer, whole);
    if (token !== outer) setImmediate(() => this.push(`${outer}^done\n(gdb) \n`));
    this.received += 1;
    const answer = this.expected.includes(text) ? undefined : this.backgroundAnswer(text);
    if (answer === undefined) this.waiting.push({ token, text });
    else setImmediate(() => this.push(`${answer.replace(/^\^/m, `${token}^`)}\n(gdb) \n`));
  }

  private backgroundAnswer(text: string): string | undefined {
    const frames = /^-stack-list-frames --thread (\d+) 0 200$/.exec(text);
    if (frames !== null) return `^done,stack=[${this.helpers.has(Number(frames[1])) ? helperFrame : programFrame}]`;
    for (const [command, answer] of background) {
      const match = command.exec(text);
      if (match !== null) return answer(match);
    }
    return undefined;
  }

  private async hears(label: string, text: string): Promise<void> {
    for (let turn = 0; this.waiting.length === 0 && turn < quietTurns; turn += 1) await nextTurn();
    this.expected.shift();
    const command = this.waiting.shift();
    assert.equal(command?.text, text, 'what mpidbg sends');
    this.tokens.set(label, command?.token ?? '');
  }

  private async says(lines: readonly string[]): Promise<void> {
    const pieces = this.arrival === 'in one piece' ? [lines] : lines.map((line) => [line]);
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      await nextTurn();
      this.push(`${piece.join('\n')}\n`);
      if (this.arrival === 'line by line') await this.silence();
    }
  }

  /** The script's token becomes that of the command. */
  private withToken(line: string): string {
    return line.replace(/^\d+(?=\^)/, (label) => this.tokens.get(label) ?? label);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A command for which a setting holds, as scripts write it: with the setting behind it. */
function within(token: string, text: string): { token: string; text: string } {
  const [, settings, quoted] = /^-interpreter-exec console "with (.*) -- interpreter-exec mi3 (.*)"$/.exec(text) ?? [];
  if (settings === undefined || quoted === undefined) return { token, text };
  const [, inner = '', command = ''] =
    /^(\d+)(.*)$/.exec(JSON.parse(JSON.parse(`"${quoted}"`) as string) as string) ?? [];
  return { token: inner, text: `${command} with ${settings}` };
}
