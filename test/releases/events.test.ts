/** MPI_T's events of Open MPI 6, against what the program sees of them itself. */
import assert from 'node:assert/strict';
import { isUnavailable } from '../../plugin-api/result';
import { openWorkshop } from '../support/compile';
import { CoreFolder } from '../support/core-files';
import type { SampleJob } from '../support/sample-job';
import {
  askEvents,
  assertDroppedEvents,
  assertSameEvents,
  eventsOf,
  oceanOf,
  startDroppingEvents,
  startToolEvents,
  toldIn,
} from '../support/tool-events';

const all = ['--last', '1000'];

describe('events of openmpi', () => {
  let job: SampleJob;
  before(async () => (job = await startToolEvents('openmpi')));
  after(() => job.finish());

  it('are those that the program sees, with their data', async () => {
    const ranks = await askEvents([...all, '--launcher', String(job.launcherPid)]);
    assert.ok(assertSameEvents(toldIn(job.printed), ranks) > 10);
    for (const overlay of ranks) {
      const { sources, eventTypes, categories } = overlay;
      assert.ok(sources !== undefined && !isUnavailable(sources) && sources.length > 0);
      for (const { ticksPerSecond, reference } of sources)
        assert.ok(Number(ticksPerSecond) > 0 && !isUnavailable(reference));
      for (const { time, delivered } of eventsOf(overlay)) assert.ok(Math.abs(time - delivered!) < 0.1);
      assert.ok(eventTypes !== undefined && !isUnavailable(eventTypes));
      assert.ok(categories !== undefined && !isUnavailable(categories));
      const listed = new Set(categories.flatMap(({ events }) => events));
      assert.ok(eventTypes.every(({ name }) => listed.has(name)));
    }
  });

  it('say which communicator they are about', async () => {
    const ranks = await askEvents([...all, '*communicator_created', '--launcher', String(job.launcherPid)]);
    for (const overlay of ranks) {
      const handles = eventsOf(overlay).map(({ refersTo }) => refersTo?.handle);
      assert.ok(handles.includes(oceanOf(job, overlay.rank!)), `${handles.join()}`);
    }
  });

  it('that the library has dropped are counted and told of', async () => {
    const workshop = openWorkshop();
    const dropping = await startDroppingEvents(workshop);
    try {
      const ranks = await askEvents([...all, '--launcher', String(dropping.launcherPid)]);
      assertDroppedEvents(toldIn(dropping.printed), ranks);
    } finally {
      await dropping.finish();
      workshop.close();
    }
  });

  it('are in core files', async () => {
    const folder = new CoreFolder();
    try {
      assertSameEvents(toldIn(job.printed), await askEvents([...all, '--core', ...(await folder.gcore(job.pids))]));
    } finally {
      folder.remove();
    }
  });
});
