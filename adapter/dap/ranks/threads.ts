/** DAP's threads: one per thread of each rank, ascending rank, a rank's first thread first. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../../job/job';
import type { RankThread } from '../../job/rank';

export class Threads {
  constructor(
    private readonly job: Job,
    /** False: the MPI library's own threads are left out, once they are recognised. */
    private readonly withHelpers: boolean,
  ) {}

  list(): DebugProtocol.Thread[] {
    return this.job.ranks.flatMap(({ threads }) =>
      threads.flatMap((thread, index) =>
        this.withHelpers || thread.role?.helperOf === undefined
          ? [{ id: thread.id, name: describe(thread, index) }]
          : [],
      ),
    );
  }
}

/**
 * `rank 3` for the thread that called main, `rank 3 · thread 2 "writer"` for another, `rank 3 · thread 2 (UCX)` for one
 * of the MPI library's. A thread inherits the name of its creator: that does not count as a name.
 */
function describe({ rank, role }: RankThread, index: number): string {
  if (index === 0) return rank.label;
  const helper = role?.helperOf === undefined ? '' : ` (${role.helperOf})`;
  const isOwnName = role?.name !== undefined && role.name !== rank.threads[0]?.role?.name;
  const name = isOwnName && helper === '' ? ` "${role.name}"` : '';
  return `${rank.label} · thread ${index + 1}${name}${helper}`;
}
