/**
 * Whose words they are: launchers put the rank before each line of a rank's output, each in its own form. Here these
 * marks are read and taken off again.
 */

export interface TaggedText {
  /** Undefined: the launcher's own words. */
  rank: number | undefined;
  text: string;
}

/** How a launcher marks a line; the first group is the rank. */
export interface OutputTag {
  /** Matches at the start of a line. */
  readonly atStart: RegExp;
  /** Matches elsewhere too, where the launcher joins unfinished lines of several ranks. */
  readonly within?: RegExp;
}

/** Milliseconds after which a line without an end is told as it is: a prompt, a progress bar. */
const patience = 250;

/** Splits one stream of a launcher into the lines of its ranks. */
export class RankOutput {
  private rest = '';
  private timer: NodeJS.Timeout | undefined;
  /** The rank of a line that was told before its end: what follows without a mark is the rest of it. */
  private unfinished: number | undefined;

  constructor(
    private readonly tag: OutputTag | undefined,
    private readonly tell: (output: TaggedText) => void,
  ) {}

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line, '\n');
    clearTimeout(this.timer);
    // A mark that has not arrived as a whole is no text yet.
    const whole = this.tag === undefined || this.tag.atStart.test(this.rest);
    if (this.rest !== '' && whole) this.timer = setTimeout(() => this.flush(), patience);
  }

  /** Tells what is left of a line that has not ended. */
  flush(): void {
    clearTimeout(this.timer);
    const rest = this.rest;
    this.rest = '';
    if (rest !== '') this.line(rest, '');
  }

  private line(line: string, end: string): void {
    const parts = this.tag?.within === undefined ? [line] : line.split(this.tag.within).filter((part) => part !== '');
    const last = parts.length - 1;
    if (last < 0) this.part(line, end);
    parts.forEach((part, index) => this.part(part, index === last ? end : '\n'));
  }

  private part(part: string, end: string): void {
    const match = this.tag?.atStart.exec(part);
    const rank = match?.[1] === undefined ? undefined : Number(match[1]);
    const text = match === null || match === undefined ? part : part.slice(match[0].length);
    const owner = match === null || match === undefined ? this.unfinished : rank;
    this.unfinished = end === '' ? owner : undefined;
    this.tell({ rank: owner, text: `${text}${end}` });
  }
}
