/** The progress of work that takes seconds; the user sees it and can cancel it. DapConnection drops it for clients that do not show progress. */
import type { Client } from './connection';

export class Progress {
  private hasBegun = false;

  /** `id`: by which the client cancels it. */
  constructor(
    private readonly client: Pick<Client, 'send'>,
    readonly id: string,
  ) {}

  begin(title: string): void {
    this.hasBegun = true;
    this.client.send('progressStart', { progressId: this.id, title, cancellable: true });
  }

  /** What is done now, and how much of it is done, in percent. */
  update(message: string, percentage?: number): void {
    if (!this.hasBegun) return;
    const share = percentage === undefined ? {} : { percentage: Math.round(percentage) };
    this.client.send('progressUpdate', { progressId: this.id, message, ...share });
  }

  /** At most a hundred times, however many ranks there are. `what`: was done with them, "held". */
  counted(ranks: number, all: number, what: string): void {
    if (ranks === all || ranks % Math.ceil(all / 100) === 0)
      this.update(`${ranks} of ${all} ranks ${what}`, (100 * ranks) / all);
  }

  /** Also before it has begun. */
  end(): void {
    if (this.hasBegun) this.client.send('progressEnd', { progressId: this.id });
    this.hasBegun = false;
  }
}
