/** All live handles of a process, read directly, and how many reads that took. */
import { CachedImage } from '../../adapter/images/cached-image';
import { CountingImage } from '../../adapter/images/counting-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import { listableKinds } from '../../adapter/query/job-queries';
import { listHandles } from '../../adapter/query/list-handles';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Counted } from './counted-work';
import { localProcess } from './local-process';

export async function listAll(pid: number) {
  const live = new LiveImage(localProcess(pid));
  try {
    const below = new CountingImage(live);
    const asked = new CountingImage(new CachedImage(below));
    const mpi = await new PluginRegistry().open(asked);
    if (mpi === undefined) throw new Error(`process ${pid} has no MPI`);
    const answers: Counted['answers'] = {};
    for (const kind of listableKinds) answers[kind] = await listHandles(mpi, [kind], false, undefined);
    return { answers, cost: { processReads: below.counts.reads, reads: asked.counts.reads } };
  } finally {
    live.close();
  }
}
