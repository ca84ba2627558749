/**
 * Recorded regions of the collector in test/recordings, with what the program saw itself: of libraries that this machine does
 * not have. A region has a version: one of another is recorded again (docs/testing-releases.md).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../../adapter/images/recording';
import { recordingsFolder, unpackRecorded } from './recorded-job';
import type { Told } from './tool-events';

export interface RecordedRegion {
  format: 'mpidbg-recorded-region/1';
  ranks: { rank: number; recording: Recording; told: Told }[];
}

/** What follows the library's name and version. */
export const ofRegion = '.region.br';

export function listRecordedRegions(): string[] {
  return readdirSync(recordingsFolder).filter((file) => file.endsWith(ofRegion));
}

export function readRecordedRegion(name: string): RecordedRegion {
  return unpackRecorded<RecordedRegion>(readFileSync(join(recordingsFolder, name)));
}
