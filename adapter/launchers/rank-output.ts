/**
 * Which rank printed what: launchers put a mark with the rank before each line of a rank's output, and before each
 * piece of a line that came in pieces, and join the unfinished lines of several ranks. Here the marks are read and
 * taken off again, and each rank's line is put together.
 */
import type { OutputTag } from '../../plugin-api/mpi/facts';

export interface TaggedText {
  /** Undefined: the launcher's own output. */
  rank: number | undefined;
  /** The launcher's number for the rank's world, if it is not the launcher's own. */
  world?: string;
  text: string;
}

type Owner = Omit<TaggedText, 'text'>;

const launcher: Owner = { rank: undefined };

/** Milliseconds after which an unfinished line is delivered as it is: a prompt, a progress bar. */
const lineTimeout = 250;

/** Splits one stream of a launcher into the lines of its ranks. */
export class RankOutput {
  /** What may be the beginning of a mark. */
  private heldBack = '';
  /** Whose text comes next; after a line end it is the launcher's. */
  private owner = launcher;
  private readonly unfinished = new Map<string, TaggedText>();
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
    for (const output of this.unfinished.values()) this.tell(output);
    this.unfinished.clear();
  }

  private take(text: string): void {
    let start = 0;
    for (const match of text.matchAll(this.tag?.markOrEnd ?? /\n/g)) {
      this.append(text.slice(start, match.index));
      start = match.index + match[0].length;
      if (match[0] === '\n') this.endLine();
      else this.owner = this.ownerOf(match);
    }
    this.append(text.slice(start));
  }

  private ownerOf({ groups, 1: first }: RegExpExecArray): Owner {
    const world = groups?.world === this.tag?.worlds?.own ? undefined : groups?.world;
    return { rank: Number(groups?.rank ?? first), ...(world === undefined ? {} : { world }) };
  }

  private append(text: string): void {
    if (text === '') return;
    const key = keyOf(this.owner);
    this.unfinished.set(key, { ...this.owner, text: (this.unfinished.get(key)?.text ?? '') + text });
  }

  private endLine(): void {
    const key = keyOf(this.owner);
    const text = this.unfinished.get(key)?.text ?? '';
    this.unfinished.delete(key);
    this.tell({ ...this.owner, text: `${text}\n` });
    this.owner = launcher;
  }
}

function keyOf({ rank, world }: Owner): string {
  return `${world} ${rank}`;
}
