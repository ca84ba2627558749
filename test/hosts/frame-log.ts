/** What an adapter and the agents of other hosts say to each other, as watch-frames.cjs writes it down. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Frame {
  /** To the adapter, or from it. */
  direction: 'to' | 'from';
  /** As in link.ts: "q" a question, "a" its answer, "d" what a gdb and the adapter say. */
  what: string;
  /** The number of the question, or of the gdb's channel. */
  number: number;
  /** The begin of a question, or of what is said on a channel. */
  text: string;
}

/** Nobody waits for these: files are closed, and all ranks are looked after all the time. */
const unawaited = /^(close|forget|lives .*%2C)/;
/** MI's answer to a command. */
const result = /^\d+\^/m;

export class FrameLog {
  constructor(private readonly file: string) {}

  /** In front of the command line of an adapter. */
  get through(): string[] {
    const preload = `--require ${join(__dirname, 'watch-frames.cjs')}`;
    return ['env', `NODE_OPTIONS=${preload}`, `MPIDBG_TEST_FRAMES=${this.file}`];
  }

  /** Frames so far. */
  get length(): number {
    return this.frames.length;
  }

  /**
   * How many questions, from frame `since` on, had to wait for each other: one that is asked after the answer to another may need
   * it. Where an answer takes longer than the adapter takes between two questions, these are the round trips.
   */
  sequential(since: number): number {
    /** By question and channel: how many in a row this is. */
    const asked = new Map<string, number>();
    let answered = 0;
    for (const { direction, what, number, text } of this.frames.slice(since)) {
      const isCommand = what === 'd';
      const key = `${isCommand} ${number}`;
      if (direction === 'to' && ((what === 'q' && !unawaited.test(text)) || isCommand)) asked.set(key, answered + 1);
      else if (direction === 'from' && (what === 'a' || (isCommand && result.test(text))))
        answered = Math.max(answered, asked.get(key) ?? 0);
    }
    return answered;
  }

  private get frames(): Frame[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Frame);
  }
}
