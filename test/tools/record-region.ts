/**
 * npx tsx test/tools/record-region.ts VERSION: records the collector's regions of tool-events with Open MPI, which has events from
 * 6 on, into test/recordings. The library drops some of them. docs/testing-releases.md
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveImage } from '../../adapter/images/live/live-image';
import { RecordingImage } from '../../adapter/images/recording-image';
import { readOverlay } from '../../plugin-api/overlays/read-overlay';
import { openWorkshop } from '../support/compile';
import { localProcess } from '../support/local-process';
import { assertNothingPersonal } from '../support/nothing-personal';
import { packRecorded, recordingsFolder } from '../support/recorded-job';
import { ofRegion, type RecordedRegion } from '../support/recorded-region';
import { startDroppingEvents, toldIn } from '../support/tool-events';

async function main(version: string): Promise<void> {
  const workshop = openWorkshop();
  const job = await startDroppingEvents(workshop);
  try {
    const recorded: RecordedRegion = { format: 'mpidbg-recorded-region/1', ranks: [] };
    for (const [rank, pid] of job.pids.entries()) {
      const live = new LiveImage(localProcess(pid));
      const image = new RecordingImage(live);
      await readOverlay(image, 'events', { last: Infinity, isWanted: () => true });
      const told = toldIn(job.printed).find((each) => each.rank === rank)!;
      recorded.ranks.push({ rank, recording: await image.recording(), told });
      live.close();
    }
    assertNothingPersonal(recorded.ranks.map(({ recording }) => recording));
    const packed = packRecorded(recorded);
    const name = `tool-events.openmpi-${version}${ofRegion}`;
    writeFileSync(join(recordingsFolder, name), packed);
    console.log(`${name}: ${packed.length} bytes`);
  } finally {
    await job.finish();
    workshop.close();
  }
}

void main(process.argv[2]!);
