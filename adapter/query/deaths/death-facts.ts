/** What is known of a rank that gdb holds because it is about to die, or has got an error from MPI. */
import type { SeenDeath } from '../../../plugin-api/deaths/seen-death';
import type { DeathFacts, FailedObject } from '../../../plugin-api/deaths/death-facts';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { CommInfo, HandleKind, HandleRef } from '../../../plugin-api/mpi/records';
import { guard } from '../../../plugin-api/result';
import { readStack } from '../../stacks/gdb-stack';
import type { RankThread } from '../../job/rank';
import { isMpiCall, nameOfCall } from '../across-ranks/mpi-calls';
import type { JobQueries } from '../job-queries';
import { callerOf } from '../positions/call-on-stack';
import { sourceOf } from '../positions/positions';
import { errorClassNamed } from './error-class';
import { failedCall } from './failed-call';

/** The rank is stopped. What cannot be known of it is missing. Rejects with GdbError, QueryError when it has ended. */
export async function deathFacts(queries: JobQueries, thread: RankThread, seen: SeenDeath): Promise<DeathFacts> {
  const ofRank = queries.of(thread.rank);
  const opened = await guard(() => ofRank.mpi());
  const process = opened.ok ? opened.value : undefined;
  const read = await readStack(thread);
  const code = await ofRank.stackCode();
  const stack = { ...read, image: ofRank.image() };
  const failed = process && (await failedCall(stack, code, process, ''));
  return {
    seen,
    call: failed?.call ?? callNamed(seen.function),
    passed: failed?.passed ?? [],
    where: sourceOf(read.frames, code).where,
    // Only what has called main is left of the program.
    isAfterMain: seen.kind === 'exit-without-finalize' && callerOf(read.frames, code)?.function === '_start',
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
  if (!kind.startsWith('mpi-error') || process.errorClass === undefined) return undefined;
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
