/**
 * Recorded regions of the collector in test/recordings, with what the program saw itself: of libraries that this machine does
 * not have. A region has a version: one of another is recorded again (docs/testing-releases.md).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from '../../adapter/images/recording';
import { recordedImage, recordingsFolder, unpackRecorded } from './recorded-job';
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

/** The whole region as one piece; nothing but zeros where the recording has none of it. */
export async function regionBytes(recording: Recording): Promise<Buffer> {
  const image = recordedImage(recording);
  const symbol = await image.findSymbol('mpidbg_collector');
  if (symbol === undefined) throw new Error('the recording has no region');
  const descriptor = Buffer.from(await image.readMemory(symbol.address, symbol.size));
  const [address, size] = [descriptor.readBigUint64LE(16), descriptor.readBigUint64LE(24)];
  const region = Buffer.alloc(Number(size));
  for (const run of recording.memory) {
    const offset = BigInt(`0x${run.address}`) - address;
    if (offset >= 0n && offset < size) region.set(Buffer.from(run.bytes, 'hex'), Number(offset));
  }
  return region;
}
