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

/** Splits one stream of a launcher into the lines of its ranks. Unfinished lines wait for their end, or for flush. */
export class RankOutput {
  private rest = '';

  constructor(
    private readonly tag: OutputTag | undefined,
    private readonly tell: (output: TaggedText) => void,
  ) {}

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line, '\n');
  }

  /** Tells what is left of a line that has not ended. */
  flush(): void {
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
    this.tell({ rank, text: `${text}${end}` });
  }
}
