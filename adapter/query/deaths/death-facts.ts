/** What is known of a rank that gdb holds because it is about to die, or has got an error from MPI. */
import type { SeenDeath } from '../../../plugin-api/deaths/seen-death';
import type { CallFacts, DeathFacts, FailedObject } from '../../../plugin-api/deaths/death-facts';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { CommInfo, HandleKind, HandleRef } from '../../../plugin-api/mpi/records';
import { guard } from '../../../plugin-api/result';
import type { ProcessCode } from '../../expressions/code-modules';
import { readStack } from '../../stacks/gdb-stack';
import type { RankThread } from '../../job/rank';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import type { JobQueries } from '../job-queries';
import { callerOf } from '../positions/call-on-stack';
import type { StoppedStack } from '../positions/passed-arguments';
import { sourceOf } from '../positions/positions';
import { errorClassNamed } from './error-class';
import { failedCall } from './failed-call';
import { stackThatFailed } from './handled-error';

/**
 * The rank is stopped. What cannot be known of it is missing. `given`: the last error that its thread has given to a handler of the program's own. Rejects
 * with GdbError, QueryError when it has ended.
 */
export async function deathFacts(
  queries: JobQueries,
  thread: RankThread,
  seen: SeenDeath,
  given: SeenDeath | undefined,
): Promise<DeathFacts> {
  const stopped = await stoppedAt(queries, thread);
  const { read, code } = stopped;
  return {
    ...(await callFacts(stopped, read, seen)),
    // No handler has been called yet for what it stops for itself.
    handled: given === undefined || given === seen ? undefined : await handledBy(stopped, given),
    where: sourceOf(read.frames, code).where,
    // Only what has called main is left of the program.
    isAfterMain: seen.kind === 'exit-without-finalize' && callerOf(read.frames, code)?.function === '_start',
  };
}

/** The error that the thread's own handler deals with; undefined: it has returned. Rejects as deathFacts does. */
export async function handledError(
  queries: JobQueries,
  thread: RankThread,
  given: SeenDeath,
): Promise<CallFacts | undefined> {
  return handledBy(await stoppedAt(queries, thread), given);
}

interface StoppedAt {
  read: StoppedStack;
  code: ProcessCode;
  process: MpiProcess | undefined;
}

async function stoppedAt(queries: JobQueries, thread: RankThread): Promise<StoppedAt> {
  const ofRank = queries.of(thread.rank);
  const opened = await guard(() => ofRank.mpi());
  const read = { ...(await readStack(thread)), image: ofRank.image() };
  return { read, code: await ofRank.stackCode(), process: opened.ok ? opened.value : undefined };
}

async function handledBy(stopped: StoppedAt, given: SeenDeath): Promise<CallFacts | undefined> {
  const { caller, stackPointer } = given.handling ?? {};
  if (caller === undefined || stackPointer === undefined) return undefined;
  const at = { caller: BigInt(caller), stackPointer: BigInt(stackPointer) };
  const behind = await stackThatFailed(stopped.read, at);
  if (behind === undefined) return undefined;
  // It may have been fatal: then the library ends the process, and no handler of the program's runs.
  const handler = callerOf(stopped.read.frames, stopped.code)?.level ?? Infinity;
  const isInLibrary = handler >= stopped.read.frames.length - behind.frames.length;
  return given.kind === 'undecided' && isInLibrary ? undefined : callFacts(stopped, behind, given);
}

async function callFacts({ process, code }: StoppedAt, stack: StoppedStack, seen: SeenDeath): Promise<CallFacts> {
  const failed = process && (await failedCall(stack, code, process, { failed: callNamed(seen.function) }));
  return {
    seen,
    call: failed?.call ?? callNamed(seen.function),
    passed: failed?.passed ?? [],
    ...(process === undefined ? { errorClass: undefined, object: undefined } : await deathObject(process, seen)),
  };
}

/** The call by the library's name of a function; undefined: it is none. MPICH names its functions below the bindings: "internal_Recv". */
export function callNamed(name: string | undefined): string | undefined {
  const call = name?.replace(/^internal(X?)_/, 'MPI$1_');
  return call !== undefined && isMpiCall(call) ? nameOfCall(call) : undefined;
}

/** Never rejects for what the process did. */
export async function deathObject(process: MpiProcess, seen: SeenDeath): Promise<FailedObject> {
  return { errorClass: await errorClassOf(process, seen), object: await objectOf(process, seen) };
}

async function errorClassOf(process: MpiProcess, { kind, code }: SeenDeath): Promise<string | undefined> {
  const isOfMpi = kind.startsWith('mpi-error') || kind === 'undecided';
  if (!isOfMpi || process.errorClass === undefined) return undefined;
  return errorClassNamed(process, process.errorClass(code));
}

async function objectOf(process: MpiProcess, seen: SeenDeath): Promise<HandleRef | undefined> {
  const { object, objectKind } = seen;
  if (object === undefined) return undefined;
  const isAbort = seen.kind === 'mpi-abort';
  const kind: HandleKind | undefined = isAbort ? 'comm' : objectKind;
  if (kind === undefined) return undefined;
  const handle = isAbort ? passedHandle(process, BigInt(object)) : await handleAt(process, kind, BigInt(object));
  const found = handle === undefined ? undefined : await process.query(kind, handle);
  if (found?.ok !== true) return undefined;
  const { handle: text, name } = found.value as CommInfo;
  return { kind, handle: text, ...(typeof name === 'string' && name !== '' ? { name } : {}) };
}

function passedHandle(process: MpiProcess, register: bigint): bigint {
  return BigInt.asUintN(8 * process.handleSize('comm'), register);
}

async function handleAt(process: MpiProcess, kind: HandleKind, address: bigint): Promise<bigint | undefined> {
  const found = await process.handleOf?.(kind, address);
  return found?.ok === true ? found.value : undefined;
}
