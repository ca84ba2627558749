/** Regions of the collector with events, decoded without the library: against what the program saw of them itself. */
import assert from 'node:assert/strict';
import { readOverlay } from '../../plugin-api/overlays/read-overlay';
import { recordedImage } from '../support/recorded-job';
import { listRecordedRegions, readRecordedRegion } from '../support/recorded-region';
import { assertDroppedEvents } from '../support/tool-events';

describe('recorded regions', () => {
  it('are there', () => assert.ok(listRecordedRegions().length > 0, 'none: docs/testing-releases.md'));

  for (const name of listRecordedRegions()) {
    it(`have the events that the program saw, and those that the library dropped (${name})`, async () => {
      const { ranks } = readRecordedRegion(name);
      const overlays = await Promise.all(
        ranks.map(async ({ rank, recording }) => {
          const image = recordedImage(recording);
          const overlay = await readOverlay(image, 'events', { last: Infinity, isWanted: () => true });
          return { rank, ...overlay };
        }),
      );
      assertDroppedEvents(
        ranks.map(({ told }) => told),
        overlays,
      );
    });
  }
});
