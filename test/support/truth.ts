/** What the samples print about their own handles (samples/README.md): the expected values of every comparison. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Code, HandleKind } from '../../plugin-api/mpi/records';

export interface Told {
  kind: HandleKind;
  info: Record<string, unknown>;
  /** Fields that this object may have, and of which nothing can be told. */
  untold?: readonly string[];
}

/** One handle in one rank. */
export interface TruthRecord {
  rank: number; // in MPI_COMM_WORLD
  /** The name of the answer that this is about. */
  expression: string;
  /** What to ask to get that answer: the expression itself, or what it is a part of. */
  ask: string;
  kind: HandleKind;
  /** What MPI told; not there for a value that is not a live handle. */
  told?: Told;
  /** MPIDBG_SUCCESS when MPI told something. */
  code: Code;
  /** The value that is not a live handle: a C handle, or a Fortran INTEGER. */
  bad?: { handle: bigint } | { fortranHandle: number };
}

const prefix = 'MPIDBG-TRUTH ';

/** The truth among the lines of a program's output; other lines are passed over. Throws at a truth line that is cut. */
export function loadTruth(lines: Iterable<string>): TruthRecord[] {
  const records: TruthRecord[] = [];
  for (const line of lines) {
    const start = line.indexOf(prefix);
    if (start > 0) throw new Error(`a truth line begins in the middle of a line: ${line.slice(0, 200)}`);
    if (start === 0) records.push(parseRecord(line.slice(prefix.length)));
  }
  return records;
}

/** The truth that a job wrote with MPIDBG_TRUTH=directory, in ascending rank order. */
export function readTruthDirectory(directory: string): TruthRecord[] {
  const records = truthFiles(directory).flatMap((text) => loadTruth(text.split('\n')));
  return records.sort((a, b) => a.rank - b.rank);
}

function truthFiles(directory: string): string[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.truth'));
  return files.map((file) => readFileSync(join(directory, file), 'utf8'));
}

/** Lines of its own that a sample tells beside its truth: a launcher may break lines of several ranks apart. */
export function readOwnLines(directory: string): string[] {
  const lines = truthFiles(directory).flatMap((text) => text.split('\n'));
  return lines.filter((line) => line !== '' && !line.startsWith('MPIDBG-'));
}

/** The handles that one rank still has, and says with "MPIDBG-LIVE". */
export interface LiveHandles {
  rank: number;
  live: Partial<Record<HandleKind, string[]>>;
}

const livePrefix = 'MPIDBG-LIVE ';

/** What a job has told that ran with MPIDBG_TRUTH=directory, in ascending rank order. */
export function readLiveDirectory(directory: string): LiveHandles[] {
  const lines = truthFiles(directory).flatMap((text) => text.split('\n'));
  const told = lines.filter((line) => line.startsWith(livePrefix));
  return told.map((line) => JSON.parse(line.slice(livePrefix.length)) as LiveHandles).sort((a, b) => a.rank - b.rank);
}

/** A call that a rank is going to wait in (samples/blocked-objects.h), and an operation that is pending meanwhile. */
export interface BlockedCall {
  rank: number;
  /** The number of the call among those that the rank makes, from 1; of threads, which of them. */
  step: number;
  call: string;
  /** What the program passes to the call, in the fields of a RequestInfo; the handle it never sees. */
  request?: Record<string, unknown>;
  /** The variable that the call may have set to what it makes. */
  /** What the program passes to it (samples/positions.c), in the fields of a RankPosition. */
  arguments?: Record<string, unknown>;
  making?: { variable: string; kind: HandleKind };
}

const blockedPrefix = 'MPIDBG-BLOCKED ';

/** What a job has told that ran with MPIDBG_TRUTH=directory. */
export function readBlockedDirectory(directory: string): BlockedCall[] {
  const lines = truthFiles(directory).flatMap((text) => text.split('\n'));
  const told = lines.filter((line) => line.startsWith(blockedPrefix));
  return told.map((line) => JSON.parse(line.slice(blockedPrefix.length)) as BlockedCall);
}

/** A message in a queue, as the program knows it. request: not there where it has none. */
export interface ToldItem {
  peer: number | string;
  tag: number | string;
  bytes: number;
  request?: string;
}

/** The queues of the communicators that one rank tells of, with "MPIDBG-QUEUES". comm: its handle. */
export interface ToldQueues {
  rank: number;
  comms: { comm: string; posted: ToldItem[]; unexpected: ToldItem[]; sends: ToldItem[] }[];
}

const queuesPrefix = 'MPIDBG-QUEUES ';

/** What a job has told that ran with MPIDBG_TRUTH=directory. */
export function readQueuesDirectory(directory: string): ToldQueues[] {
  const lines = truthFiles(directory).flatMap((text) => text.split('\n'));
  const told = lines.filter((line) => line.startsWith(queuesPrefix));
  return told.map((line) => JSON.parse(line.slice(queuesPrefix.length)) as ToldQueues);
}

/** What to ask, each question once, in the order of the program. */
export function questions(truth: TruthRecord[]): string[] {
  return [...new Set(truth.map((record) => record.ask))];
}

interface Line {
  rank: number;
  expression: string;
  ask: string;
  kind: HandleKind;
  info: Record<string, unknown>;
  code: Code;
  handle: string;
  fortranHandle: number;
  untold: string[];
}

function parseRecord(json: string): TruthRecord {
  const line = JSON.parse(json) as Partial<Line>;
  const { rank, expression, ask, kind, info, code, handle, fortranHandle, untold = [] } = line;
  if (rank === undefined || expression === undefined)
    throw new Error(`a truth line without rank or expression: ${json}`);
  const common = { rank, expression, ask: ask ?? expression, kind: kind ?? 'comm' };
  if (kind !== undefined && info !== undefined) {
    const told = Object.fromEntries(Object.entries(info).filter(([field]) => !untold.includes(field)));
    return { ...common, told: { kind, info: told, untold }, code: 'MPIDBG_SUCCESS' };
  }
  if (code === undefined) throw new Error(`a truth line without code, kind or info: ${json}`);
  if (handle !== undefined) return { ...common, code, bad: { handle: BigInt(handle) } };
  if (fortranHandle !== undefined) return { ...common, code, bad: { fortranHandle } };
  throw new Error(`a truth line without the value that is no handle: ${json}`);
}
