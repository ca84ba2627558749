/** Lines of a stream, one at a time and never longer than a limit; what follows a line stays in the stream. */
import type { Readable } from 'node:stream';

export class LineReader {
  private buffered = Buffer.alloc(0);
  private ended: Error | undefined;
  private wake: (() => void) | undefined;
  private readonly onData = (chunk: Buffer): void => {
    this.buffered = Buffer.concat([this.buffered, chunk]);
    // One line and at most the limit of the next: no peer can make us keep more.
    if (this.buffered.length > 2 * this.longest) this.stream.pause();
    this.wake?.();
  };
  private readonly onEnd = (): void => {
    this.ended = new Error('the connection ended');
    this.wake?.();
  };

  constructor(
    private readonly stream: Readable,
    /** Bytes. */
    private readonly longest: number,
  ) {
    stream.on('data', this.onData);
    stream.on('end', this.onEnd);
    stream.on('close', this.onEnd);
  }

  /** The next line without its end. Rejects at the end of the stream, and for a line that is too long. */
  async next(): Promise<string> {
    for (;;) {
      const end = this.buffered.indexOf(10);
      if (end > this.longest || (end === -1 && this.buffered.length > this.longest))
        throw new Error('a line is too long');
      if (end !== -1) {
        const line = this.buffered.toString('utf8', 0, end);
        this.buffered = this.buffered.subarray(end + 1);
        this.stream.resume();
        return line;
      }
      if (this.ended !== undefined) throw this.ended;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Stops reading; bytes behind the last line go back into the stream. */
  release(): void {
    this.stream.off('data', this.onData);
    this.stream.off('end', this.onEnd);
    this.stream.off('close', this.onEnd);
    this.stream.pause();
    if (this.buffered.length > 0) this.stream.unshift(this.buffered);
    this.buffered = Buffer.alloc(0);
  }
}
