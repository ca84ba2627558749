/** Lets only so many pieces of work run at a time; the others wait for their turn. */
import { orShortage } from '../elf/shortage-error';

export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** Rejects as the work does, or with ShortageError. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running += 1;
    try {
      return await work();
    } catch (error) {
      throw orShortage(error);
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }
}
