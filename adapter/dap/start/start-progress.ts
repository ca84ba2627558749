/** The start of a job as progress that the user sees and can cancel: many ranks take seconds. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Client } from '../client/connection';

export class StartProgress {
  readonly id = 'start';
  private readonly isWanted: boolean;
  private hasBegun = false;

  constructor(
    private readonly client: Client,
    { supportsProgressReporting }: Pick<DebugProtocol.InitializeRequestArguments, 'supportsProgressReporting'>,
  ) {
    this.isWanted = supportsProgressReporting === true;
  }

  begin(title: string): void {
    if (!this.isWanted) return;
    this.hasBegun = true;
    this.client.send('progressStart', { progressId: this.id, title, cancellable: true });
  }

  /** What is done now, and how much of it is done, in percent. */
  update(message: string, percentage?: number): void {
    if (!this.hasBegun) return;
    const share = percentage === undefined ? {} : { percentage: Math.round(percentage) };
    this.client.send('progressUpdate', { progressId: this.id, message, ...share });
  }

  /** At most a hundred times, however many ranks there are. */
  held(ranks: number, all: number): void {
    if (ranks === all || ranks % Math.ceil(all / 100) === 0)
      this.update(`${ranks} of ${all} ranks held`, (100 * ranks) / all);
  }

  end(): void {
    if (this.hasBegun) this.client.send('progressEnd', { progressId: this.id });
    this.hasBegun = false;
  }
}
