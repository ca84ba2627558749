/** What the engine tests share: launching samples, and waiting for events with a deadline. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Job, JobEnd, JobOutput } from '../../adapter/job/job';
import type { Rank } from '../../adapter/job/rank';
import type { RankStop } from '../../adapter/job/rank-stops';
import { launch } from '../../adapter/job-sources/launch';
import type { LaunchOptions } from '../../adapter/launchers/launch-options';
import { hasEnded } from '../support/process-state';
import { launchers, markerLine, samplePath, type Mpi } from '../support/sample-job';
import { patienceMs } from '../support/patience';

const deadlineMs = patienceMs;

/** A launched sample, and everything that happened to it. */
export class LaunchedSample {
  readonly stops: RankStop[] = [];
  readonly outputs: JobOutput[] = [];
  readonly messages: string[] = [];
  readonly endedRanks: Rank[] = [];
  end: JobEnd | undefined;
  private readonly watchers = new Set<() => void>();

  private constructor(readonly job: Job) {
    job.on('stopped', (stop) => this.happened(() => this.stops.push(stop)));
    job.on('output', (output) => this.happened(() => this.outputs.push(output)));
    job.on('message', (message) => this.happened(() => this.messages.push(message)));
    job.on('rankEnded', (rank) => this.happened(() => this.endedRanks.push(rank)));
    job.on('ended', (end) => this.happened(() => (this.end = end)));
  }

  static async launch(
    mpi: Mpi,
    name: string,
    options: Partial<LaunchOptions> & { ranks?: number; args?: string[] } = {},
  ): Promise<LaunchedSample> {
    const { ranks = 4, args = [], ...rest } = options;
    return new LaunchedSample(
      await launch({
        launcher: launchers[mpi].command,
        programs: [{ program: samplePath(mpi, name), args, ranks }],
        cwd: join(__dirname, '..', '..'),
        ...rest,
      }),
    );
  }

  async breakAt(source: string, marker: string): Promise<void> {
    const file = join(__dirname, '..', '..', 'samples', source);
    const line = markerLine(source, marker);
    const [breakpoint] = await this.job.breakpoints.replaceInFile(file, [{ kind: 'line', file, line }]);
    assert.deepEqual([breakpoint?.verified, breakpoint?.line, breakpoint?.message], [true, line, undefined]);
  }

  async clearBreakpoints(source: string): Promise<void> {
    await this.job.breakpoints.replaceInFile(join(__dirname, '..', '..', 'samples', source), []);
  }

  /** Does `action` and waits for one stop of each of these ranks after it. */
  async stopsAfter(action: () => Promise<void>, ranks: readonly Rank[] = this.job.ranks): Promise<RankStop[]> {
    const first = this.stops.length;
    await action();
    const of = (rank: Rank): RankStop | undefined => this.stops.slice(first).find((stop) => stop.rank === rank);
    await this.until(`stops of ${ranks.length} ranks`, () => ranks.every(of));
    return ranks.map((rank) => of(rank) as RankStop);
  }

  async ended(): Promise<JobEnd> {
    await this.until('the end of the job', () => this.end !== undefined);
    return this.end as JobEnd;
  }

  /** What a rank printed. */
  text(rank: number | undefined, stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.outputs
      .filter((output) => output.rank === rank && output.stream === stream)
      .map((output) => output.text)
      .join('');
  }

  /** Resolves when the condition holds after some event; rejects after the deadline, saying what did happen. */
  until(what: string, holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!holds()) return;
        clearTimeout(late);
        this.watchers.delete(check);
        resolve();
      };
      const late = setTimeout(() => {
        this.watchers.delete(check);
        const ranks = this.job.ranks.map((rank) => `${rank.label} ${rank.state}`).join(', ');
        const said = this.outputs.map(({ text }) => text).join('');
        reject(new Error(`not within ${deadlineMs} ms: ${what}; ${ranks}; ${this.messages.join('; ')}\n${said}`));
      }, deadlineMs);
      this.watchers.add(check);
      check();
    });
  }

  private happened(note: () => void): void {
    note();
    for (const check of [...this.watchers]) check();
  }
}

/** The processes of the job that are still there. */
export function left(pids: readonly (number | undefined)[]): number[] {
  return pids.filter((pid) => pid !== undefined).filter((pid) => !hasEnded(pid));
}
