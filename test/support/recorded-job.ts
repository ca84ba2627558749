/** The recordings in test/recordings: what queries touched of the ranks of a sample, and what MPI told about them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { RecordedImage } from '../../adapter/images/recorded-image';
import type { Recording } from '../../adapter/images/recording';
import type { Module, ProcessImage, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { QueryError } from '../../plugin-api/result';
import type { Build, Mpi } from './sample-job';
import type { TruthRecord } from './truth';

export interface RecordedJob {
  format: 'mpidbg-recorded-job/1';
  /** A sample. */
  program: string;
  mpi: Mpi;
  /** The sample was built for the standard ABI. */
  isStandardAbi?: boolean;
  /** UCX carried Open MPI's messages. */
  usesUcx?: boolean;
  /** The version of the MPI library: "4.1.4". */
  version: string;
  ranks: { recording: Recording; truth: TruthRecord[] }[];
}

/** One for each kind of sample, and one whose handles are Fortran's; less where a recording is large. */
export const recordedPrograms: Readonly<Record<Build, readonly string[]>> = {
  openmpi: ['communicators', 'communicators-f08', 'datatypes', 'requests', 'handles', 'windows', 'files'],
  mpich: ['communicators', 'communicators-f08'],
  'openmpi-abi': ['communicators', 'requests', 'handles'],
  'mpich-abi': [],
};

export const recordingsFolder = join(__dirname, '..', 'recordings');

/** PROGRAM.MPI-VERSION.json.br; one per version, so that recordings of several versions live side by side. */
export function recordingName(job: Omit<RecordedJob, 'ranks'>): string {
  const { program, mpi, version, isStandardAbi, usesUcx } = job;
  return `${program}.${mpi}-${version}${isStandardAbi === true ? '-abi' : ''}${usesUcx === true ? '-ucx' : ''}.json.br`;
}

export function listRecordings(): string[] {
  if (!existsSync(recordingsFolder)) return [];
  return readdirSync(recordingsFolder)
    .filter((file) => file.endsWith('.json.br'))
    .sort();
}

/**
 * A recorded rank. What queries look for since the recording was made they do not find, as in a library that lacks it;
 * whether their answers are right is what a test compares.
 */
export function recordedImage(recording: Recording): ProcessImage {
  return new OldImage(recording);
}

class OldImage extends RecordedImage {
  override findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    return ifRecorded(super.findSymbol(name, module));
  }
  override symbolAt(address: bigint): Promise<Symbol | undefined> {
    return ifRecorded(super.symbolAt(address));
  }
  override findType(name: string, fields: readonly string[]): Promise<TypeLayout | undefined> {
    return ifRecorded(super.findType(name, fields));
  }
}

async function ifRecorded<T>(found: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

export function readRecordedJob(name: string): RecordedJob {
  return unpackRecorded<RecordedJob>(readFileSync(join(recordingsFolder, name)));
}

/** What packRecorded() made of a T. */
export function unpackRecorded<T>(packed: Buffer): T {
  const json = brotliDecompressSync(packed).toString('utf8');
  return JSON.parse(json, (_key, value: unknown) => (isBigint(value) ? BigInt(value.bigint) : value)) as T;
}

/** The window is as large as a job: its ranks are nearly alike. */
export function packRecorded(recorded: object): Buffer {
  const json = Buffer.from(
    JSON.stringify(recorded, (_key, value: unknown) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
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
