/** The handles that mpidbg lists of each kind, held against the number that MPICH's own pools of objects keep. */
import assert from 'node:assert/strict';
import { LiveImage } from '../../adapter/images/live/live-image';
import type { ProcessImage } from '../../plugin-api/image';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { readData, type Pool } from '../../plugin-api/plugins/mpich/containers';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { findLibrary } from '../../plugin-api/plugins/mpich/library';
import { layoutCandidates } from '../../plugin-api/plugins/mpich/tables';
import { verify } from '../../plugin-api/plugins/mpich/verify';
import { severalInterfaces } from '../support/mpich-interfaces';
import { SampleJob } from '../support/sample-job';
import { localProcess } from '../support/local-process';

/** MPICH's numbers of the classes, from its mpir_objects.h. */
const classes: Partial<Record<HandleKind, number>> = {
  comm: 1,
  group: 2,
  datatype: 3,
  errhandler: 5,
  op: 6,
  info: 7,
  win: 8,
  request: 11,
  session: 14,
};

/** num_allocated - num_avail, by class; of requests the sum of all pools. */
async function usedByClass(image: ProcessImage): Promise<Map<number, number>> {
  const library = await findLibrary(image);
  assert.ok(library !== undefined, 'the process has an MPICH');
  const data = await readData(image, library.module);
  for (const source of layoutCandidates(image, library).sources) {
    const { objects } = await verify(image, library.module, data, source);
    if (objects === undefined) continue;
    // 5.0 keeps the datatypes that have direct handles, all of them predefined, outside of the pool.
    const outside = ({ isDirectApart, directCount }: Pool) => (isDirectApart ? directCount : 0);
    const used = new Map([...objects.pools].map(([kind, pool]) => [kind, pool.used + outside(pool)]));
    return used.set(
      classes.request!,
      objects.requestPools.reduce((sum, pool) => sum + pool.used, 0),
    );
  }
  return assert.fail('no layout fits');
}

/** Predefined handles have no place in a pool, but for pairs such as MPI_FLOAT_INT. */
function isInPool(handle: bigint): boolean {
  return handle >> 30n !== 1n;
}

/** A request pool for each of MPICH's communication interfaces, where the library has more than one. */
const options: Partial<Record<string, string[]>> = { lanes: severalInterfaces(4).launcherArgs };

/** The communicators that a pending MPI_Comm_idup makes, which MPICH counts: the last rank has not come to it. */
const halfMade: Partial<Record<string, number>> = { duplicates: 3, owners: 1, requests: 1 };

for (const sample of [
  'leaks',
  'handles',
  'requests',
  'datatypes',
  'windows',
  'communicators',
  'lanes',
  'files',
  'owners',
  'duplicates',
]) {
  it(`each kind's handles are as many as MPICH counts in ${sample}`, async () => {
    const job = await SampleJob.startWaiting('mpich', sample, { launcherArgs: options[sample] ?? [] });
    try {
      for (const [rank, pid] of job.pids.entries()) {
        const image = new LiveImage(localProcess(pid));
        const process = await mpich.open(image);
        const used = await usedByClass(image);
        for (const [kind, number] of Object.entries(classes) as [HandleKind, number][]) {
          const handles = await process!.handles(kind);
          // A message is an object of the requests' pools.
          const others = kind === 'request' ? await process!.handles('message') : { ok: true as const, value: [] };
          assert.ok(handles.ok && others.ok, `rank ${rank}: ${kind}`);
          const unlisted = kind === 'comm' && rank < job.pids.length - 1 ? (halfMade[sample] ?? 0) : 0;
          const listed = [...handles.value, ...others.value].filter(isInPool).length;
          assert.equal(listed + unlisted, used.get(number), `rank ${rank}: ${kind}`);
        }
        image.close();
      }
    } finally {
      await job.kill();
    }
  });
}
