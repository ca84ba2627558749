/**
 * Which rank printed what: launchers put a mark with the rank before each line of a rank's output, and before each
 * piece of a line that came in pieces, and join the unfinished lines of several ranks. Here the marks are read and
 * taken off again, and each rank's line is put together.
 */
import type { OutputTag } from '../../plugin-api/mpi/facts';

export interface TaggedText {
  /** Undefined: the launcher's own output. */
  rank: number | undefined;
  text: string;
}

/** Milliseconds after which an unfinished line is delivered as it is: a prompt, a progress bar. */
const lineTimeout = 250;

/** Splits one stream of a launcher into the lines of its ranks. */
export class RankOutput {
  /** What may be the beginning of a mark. */
  private heldBack = '';
  /** The rank whose text comes next; after a line end it is the launcher's. */
  private owner: number | undefined;
  private readonly unfinished = new Map<number | undefined, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tag: OutputTag | undefined,
    private readonly tell: (output: TaggedText) => void,
  ) {}

  add(text: string): void {
    clearTimeout(this.timer);
    const all = this.heldBack + text;
    this.heldBack = this.tag?.beginning.exec(all)?.[0] ?? '';
    this.take(all.slice(0, all.length - this.heldBack.length));
    if (this.unfinished.size > 0 || this.heldBack !== '') this.timer = setTimeout(() => this.flush(), lineTimeout);
  }

  /** Delivers the rest of unfinished lines. */
  flush(): void {
    clearTimeout(this.timer);
    const rest = this.heldBack;
    this.heldBack = '';
    this.take(rest);
    for (const [rank, text] of this.unfinished) this.tell({ rank, text });
    this.unfinished.clear();
  }

  private take(text: string): void {
    let start = 0;
    for (const match of text.matchAll(this.tag?.markOrEnd ?? /\n/g)) {
      this.append(text.slice(start, match.index));
      start = match.index + match[0].length;
      if (match[0] === '\n') this.endLine();
      else this.owner = Number(match[1]);
    }
    this.append(text.slice(start));
  }

  private append(text: string): void {
    if (text !== '') this.unfinished.set(this.owner, (this.unfinished.get(this.owner) ?? '') + text);
  }

  private endLine(): void {
    const text = this.unfinished.get(this.owner) ?? '';
    this.unfinished.delete(this.owner);
    this.tell({ rank: this.owner, text: `${text}\n` });
    this.owner = undefined;
  }
}
