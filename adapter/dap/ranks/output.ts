/** The output of the job in the debug console: each line says which rank printed it. */
import { inWorld } from '../../../plugin-api/mpi/worlds';
import type { JobEnd, JobOutput } from '../../job/job';

type Stream = JobOutput['stream'];

/** Puts `[2] ` before each line of rank 2, `[0.1:2] ` of that of world 0.1. The launcher's own output is left as it is. */
export class OutputLabels {
  /** The mark of the rank whose line is unfinished, per stream. */
  private readonly unfinished = new Map<Stream, string>();

  label({ rank, world, stream, text }: JobOutput): string {
    if (text === '') return '';
    const mark = rank === undefined ? '' : `[${inWorld(world, String(rank))}] `;
    const isInterrupted = this.unfinished.has(stream) && this.unfinished.get(stream) !== mark;
    const continues = this.unfinished.has(stream) && !isInterrupted;
    if (text.endsWith('\n')) this.unfinished.delete(stream);
    else this.unfinished.set(stream, mark);
    const marked = text.replace(/^(?=[\s\S])/gm, mark);
    return `${isInterrupted ? '\n' : ''}${continues ? marked.slice(mark.length) : marked}`;
  }
}

/**
 * What a job prints, as few events: text that arrives at once is one, with the lines of all ranks in their order. An event
 * is sent before anything else can happen in the session.
 */
export class OutputEvents {
  private readonly labels = new OutputLabels();
  private next: { category: Stream; output: string } | undefined;

  constructor(private readonly send: (body: { category: Stream; output: string }) => void) {}

  add(printed: JobOutput): void {
    const output = this.labels.label(printed);
    if (this.next?.category === printed.stream) {
      this.next.output += output;
      return;
    }
    this.flush();
    this.next = { category: printed.stream, output };
    queueMicrotask(() => this.flush());
  }

  private flush(): void {
    const { next } = this;
    this.next = undefined;
    if (next !== undefined) this.send(next);
  }
}

/** The launcher's status as a shell would tell it; undefined when there is none. */
export function exitCodeOf(end: JobEnd, signalNumbers: Readonly<Record<string, number>>): number | undefined {
  if (end.exitCode !== undefined) return end.exitCode;
  return end.signal === undefined ? undefined : 128 + (signalNumbers[end.signal] ?? 0);
}
