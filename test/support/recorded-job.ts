/** The recordings in test/recordings: what queries touched of the ranks of a sample, and what MPI told about them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Recording } from '../../adapter/images/recording';
import type { Mpi } from './sample-job';
import type { TruthRecord } from './truth';

export interface RecordedJob {
  format: 'mpidbg-recorded-job/1';
  /** A sample. */
  program: string;
  mpi: Mpi;
  /** Of the MPI library: "4.1.4". */
  version: string;
  ranks: { recording: Recording; truth: TruthRecord[] }[];
}

/** One in C, and one whose handles are Fortran's. */
export const recordedPrograms: readonly string[] = ['communicators', 'communicators-f08'];

export const recordingsFolder = join(__dirname, '..', 'recordings');

/** PROGRAM.MPI-VERSION.json.br; one per version, so that recordings of several versions live side by side. */
export function recordingName({ program, mpi, version }: Pick<RecordedJob, 'program' | 'mpi' | 'version'>): string {
  return `${program}.${mpi}-${version}.json.br`;
}

export function listRecordings(): string[] {
  if (!existsSync(recordingsFolder)) return [];
  return readdirSync(recordingsFolder)
    .filter((file) => file.endsWith('.json.br'))
    .sort();
}

export function readRecordedJob(name: string): RecordedJob {
  const json = brotliDecompressSync(readFileSync(join(recordingsFolder, name))).toString('utf8');
  return JSON.parse(json, (_key, value: unknown) => (isBigint(value) ? BigInt(value.bigint) : value)) as RecordedJob;
}

/** The window is as large as a job: its ranks are nearly alike. */
export function packRecordedJob(job: RecordedJob): Buffer {
  const json = Buffer.from(
    JSON.stringify(job, (_key, value: unknown) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
  );
  return brotliCompressSync(json, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: json.length,
    },
  });
}

/** JSON has no such numbers: { "bigint": "4711" }. */
function isBigint(value: unknown): value is { bigint: string } {
  return typeof value === 'object' && value !== null && 'bigint' in value;
}
