/** The handles that mpidbg lists of each kind, held against the number that MPICH's own pools of objects keep. */
import assert from 'node:assert/strict';
import { LiveImage } from '../../adapter/images/live-image';
import type { ProcessImage } from '../../plugin-api/image';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { findPools, readData } from '../../plugin-api/plugins/mpich/containers';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { findLibrary } from '../../plugin-api/plugins/mpich/library';
import { classSpecs, poolSpec } from '../../plugin-api/plugins/mpich/specs';
import { tables } from '../../plugin-api/plugins/mpich/tables';
import { SampleJob } from '../support/sample-job';

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
  assert.ok(library?.version !== undefined, 'the library tells its version');
  const table = tables[library.version];
  assert.ok(table !== undefined, `there is a table of ${library.version}`);
  const sizes = new Map([...classSpecs].map(([kind, { struct }]) => [kind, table[struct]!.size]));
  const pools = findPools(await readData(image, library.module), table[poolSpec.struct]!, sizes);
  return new Map([...pools].map(([kind, all]) => [kind, all.reduce((sum, { used }) => sum + used, 0)]));
}

/** Predefined handles have no place in a pool, but for pairs such as MPI_FLOAT_INT. */
function isInPool(handle: bigint): boolean {
  return handle >> 30n !== 1n;
}

for (const sample of ['leaks', 'handles', 'requests', 'datatypes', 'windows', 'communicators']) {
  it(`each kind's handles are as many as MPICH counts in ${sample}`, async () => {
    const job = await SampleJob.startWaiting('mpich', sample);
    try {
      for (const [rank, pid] of job.pids.entries()) {
        const image = new LiveImage(pid);
        const process = await mpich.open(image);
        const used = await usedByClass(image);
        for (const [kind, number] of Object.entries(classes) as [HandleKind, number][]) {
          const handles = await process!.handles(kind);
          assert.ok(handles.ok, `rank ${rank}: ${kind}`);
          assert.equal(handles.value.filter(isInPool).length, used.get(number), `rank ${rank}: ${kind}`);
        }
        image.close();
      }
    } finally {
      await job.kill();
    }
  });
}
