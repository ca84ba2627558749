/** All live handles of a process, read directly, and how many reads that took. */
import { CachedImage } from '../../adapter/images/cached-image';
import { CountingImage } from '../../adapter/images/counting-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import { listableKinds } from '../../adapter/query/list-handles';
import { listHandles } from '../../adapter/query/list-handles';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { localProcess } from './local-process';

export interface Listed {
  answers: Partial<Record<HandleKind, Answer[]>>;
  /** Reads of the process' memory, and what decoders asked the cache for. */
  cost: { processReads: number; reads: number };
}

export async function listAll(pid: number): Promise<Listed> {
  const live = new LiveImage(localProcess(pid));
  try {
    const below = new CountingImage(live);
    const asked = new CountingImage(new CachedImage(below));
    const mpi = await new PluginRegistry().open(asked);
    if (mpi === undefined) throw new Error(`process ${pid} has no MPI`);
    const answers: Listed['answers'] = {};
    for (const kind of listableKinds) answers[kind] = await listHandles(mpi, [kind], false, undefined);
    return { answers, cost: { processReads: below.counts.reads, reads: asked.counts.reads } };
  } finally {
    live.close();
  }
}
