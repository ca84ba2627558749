/** DAP's threads: one per thread of each rank, ascending rank, a rank's first thread first. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { threadName } from '../gdb/thread-commands';
import { GdbError } from '../gdb/mi-connection';
import type { Job } from '../job/job';
import type { RankThread } from '../job/rank';
import { canBeRead } from './focus';

export class Threads {
  /** As the program or its libraries named them; asked for once, and only while gdb can tell. */
  private readonly names = new WeakMap<RankThread, string>();

  constructor(private readonly job: Job) {}

  async list(): Promise<DebugProtocol.Thread[]> {
    return Promise.all(
      this.job.ranks.flatMap(({ threads }) =>
        threads.map(async (thread, index) => ({ id: thread.id, name: await this.describe(thread, index) })),
      ),
    );
  }

  /** `rank 3` for the thread that called main, `rank 3 · thread 2 "async"` for another; "async" if it did not inherit it. */
  private async describe(thread: RankThread, index: number): Promise<string> {
    const { label } = thread.rank;
    if (index === 0) return label;
    const [name, inherited] = await Promise.all([thread, thread.rank.threads[0]].map((each) => this.ownName(each)));
    return `${label} · thread ${index + 1}${name === undefined || name === inherited ? '' : ` "${name}"`}`;
  }

  private async ownName(thread: RankThread | undefined): Promise<string | undefined> {
    if (thread === undefined) return undefined;
    const known = this.names.get(thread);
    if (known !== undefined || !canBeRead(thread.rank)) return known;
    try {
      const name = await threadName(thread);
      if (name !== undefined) this.names.set(thread, name);
      return name;
    } catch (error) {
      if (error instanceof GdbError) return undefined;
      throw error;
    }
  }
}
