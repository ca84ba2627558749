/** What a plugin says at one moment of one rank: of each handle that the program knows, and in its lists. */
import { CachedImage } from '../../adapter/images/cached-image';
import type { ProcessImage } from '../../plugin-api/image';
import type { InfoOf, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import type { Result } from '../../plugin-api/result';
import { openProcess } from '../support/ask-process';
import type { Mpi } from '../support/sample-job';
import { handleKinds } from '../support/stopped-ranks';
import type { TruthRecord } from '../support/truth';
import type { ProgramHandle } from './rank-connection';

export type AnyInfo = InfoOf[HandleKind];

export interface Sight {
  process: MpiProcess;
  lists: Map<HandleKind, { handle: bigint; answer: Result<AnyInfo> }[]>;
  /** Kinds whose list is said to lack objects. */
  incomplete: Set<HandleKind>;
  /** By kind and value, of those that the program knows. */
  answers: Map<string, Result<AnyInfo>>;
}

export async function look(image: ProcessImage, handles: readonly ProgramHandle[], mpi: Mpi): Promise<Sight> {
  const process = await openProcess(new CachedImage(image), mpi);
  const sight: Sight = { process, lists: new Map(), incomplete: new Set(), answers: new Map() };
  for (const kind of handleKinds) {
    const list = await process.handles(kind);
    const all = list.ok ? list.value : [];
    const answers = all.map(async (handle) => ({ handle, answer: await process.query(kind, handle) }));
    sight.lists.set(kind, await Promise.all(answers));
    if (!list.ok || ((await process.unlisted?.(kind)) ?? []).length > 0) sight.incomplete.add(kind);
  }
  for (const { kind, handle } of handles)
    sight.answers.set(key(kind, handle), await process.query(kind, BigInt(handle)));
  return sight;
}

export function key(kind: HandleKind, handle: string): string {
  return `${kind}:${handle}`;
}

export function asAnswer({ expression, kind }: TruthRecord, result: Result<AnyInfo>): Answer {
  if (result.ok) return { expression, kind, code: 'MPIDBG_SUCCESS', info: result.value };
  return { expression, kind, code: result.code, reason: result.reason };
}
