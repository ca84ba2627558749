/** DAP's threads: one per thread of each rank, ascending rank, a rank's first thread first. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Job } from '../../job/job';
import { canBeRead, type RankThread } from '../../job/rank';

/** What the client lists as threads. */
export interface ThreadList {
  list(): Promise<DebugProtocol.Thread[]>;
}

/** Every thread by itself. */
export class Threads implements ThreadList {
  constructor(
    private readonly job: Job,
    /** False: the MPI library's own threads are left out, once they are recognised. */
    private readonly withHelpers: boolean,
    /** What OpenMP reports about a thread that can be read: "MPI_Recv", "OpenMP 0 working". */
    private readonly openMp: (thread: RankThread) => Promise<string[]>,
  ) {}

  list(): Promise<DebugProtocol.Thread[]> {
    return Promise.all(
      shownThreads(this.job, this.withHelpers).map(async ({ thread, suffix }) => {
        const told = canBeRead(thread.rank) ? await this.openMp(thread) : [];
        const name = [thread.rank.label, ...(suffix === '' ? [] : [suffix]), ...told].join(' · ');
        return { id: thread.id, name };
      }),
    );
  }
}

/** In order, with what tells threads of a rank apart: "" for the first, `thread 2 "writer"`, `thread 2 (UCX)`. */
export function shownThreads(job: Job, withHelpers: boolean): { thread: RankThread; suffix: string }[] {
  return job.ranks.flatMap(({ threads }) =>
    threads.flatMap((thread, index) =>
      withHelpers || index === 0 || !mayBeHelper(thread) ? [{ thread, suffix: describe(thread, index) }] : [],
    ),
  );
}

/** True also for a rank that has never stopped, whose helpers are unknown: a client would list all of them, and drop most at the first stop. */
function mayBeHelper({ rank, role }: RankThread): boolean {
  return role === undefined ? rank.state === 'running' : role.helperOf !== undefined;
}

/**
 * `rank 3` for the thread that called main, `rank 3 · thread 2 "writer"` for another, `rank 3 · thread 2 (UCX)` for one
 * of the MPI library's. A thread inherits the name of its creator: that does not count as a name.
 */
function describe({ rank, role }: RankThread, index: number): string {
  if (index === 0) return '';
  const helper = role?.helperOf === undefined ? '' : ` (${role.helperOf})`;
  const isOwnName = role?.name !== undefined && role.name !== rank.threads[0]?.role?.name;
  const name = isOwnName && helper === '' ? ` "${role.name}"` : '';
  return `thread ${index + 1}${name}${helper}`;
}
