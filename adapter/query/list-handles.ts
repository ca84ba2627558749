/** The live objects of a process, kind by kind. */
import { handleKinds } from '../../plugin-api/mpi/describe';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind, RankAnswer } from '../../plugin-api/mpi/records';
import type { MadeHandle } from '../../plugin-api/overlays/history';
import type { Frame } from '../stacks/frame';

/** The kinds that `handles` lists. */
export const listableKinds: readonly HandleKind[] = handleKinds.filter((kind) => kind !== 'status');

/**
 * The records of all live objects of these kinds, in their order; the library's own ones only with `internal`.
 * `ending`: what the process is in: in MPI_Finalize objects that nobody freed still exist. `made`: what the program has made and
 * not freed, where its calls are known.
 */
export async function listHandles(
  process: MpiProcess,
  kinds: readonly HandleKind[],
  internal: boolean,
  ending: RankAnswer['ending'],
  made: (kind: HandleKind) => readonly MadeHandle[] = () => [],
): Promise<Answer[]> {
  const isInFinalize = ending === 'MPI_Finalize';
  const answersOf = async (kind: HandleKind): Promise<Answer[]> => {
    const answers: Answer[] = [];
    const listed = await process.handles(kind);
    if (!listed.ok) answers.push({ kind, code: listed.code, reason: listed.reason });
    else
      for (const handle of listed.value) {
        const answer = await answerOf(process, kind, handle);
        // MPI_Finalize tears the predefined objects down, one after the other.
        const isGone = isInFinalize && answer.code !== 'MPIDBG_SUCCESS' && (await isPredefined(process, kind, handle));
        if (!isGone) answers.push(answer);
      }
    const gaps = (await process.unlisted?.(kind)) ?? [];
    if (gaps.length > 0 && listed.ok) answers.push(...(await answersBeside(process, kind, listed.value, made(kind))));
    for (const reason of gaps)
      answers.push({ kind, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: `there may be more: ${reason}` });
    return answers;
  };
  // Side by side: what one kind needs of the memory of another host comes together with what others need.
  const answers = (await Promise.all(kinds.map(answersOf))).flat();
  // A message is a request to some libraries: it is listed once, as what it is to the program.
  return answers.filter((answer) => !isMessage(answer) && (internal || !isInternal(answer)));
}

/**
 * Lists objects that the library does not list, but the program has made. Requests come and go within calls that nobody tells,
 * and the memory of one may be another's by now: only those are taken that still are what their call has made.
 */
async function answersBeside(
  process: MpiProcess,
  kind: HandleKind,
  listed: readonly bigint[],
  made: readonly MadeHandle[],
): Promise<Answer[]> {
  if (kind === 'message') return [];
  const known = new Set(listed);
  const others = made.filter(({ handle }) => !known.has(handle));
  const answers = await Promise.all(
    others.map(async ({ handle, call }) => {
      const answer = await answerOf(process, kind, handle);
      return kind !== 'request' || isRequestOf(answer, call) ? [answer] : [];
    }),
  );
  return answers.flat().filter((answer) => answer.code === 'MPIDBG_SUCCESS' && !isPredefinedAnswer(answer));
}

/** Those that Open MPI has no list of: of generalized requests, and of one-sided operations. */
function isRequestOf(answer: Answer, call: string): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || !('operation' in answer.info)) return false;
  const { operation } = answer.info;
  if (operation === 'generalized') return call === 'MPI_Grequest_start';
  return operation === 'rma' && /^MPI_R(put|get|accumulate|get_accumulate)(_c)?$/.test(call);
}

/** What this handle is. */
export async function answerOf(process: MpiProcess, kind: HandleKind, handle: bigint): Promise<Answer> {
  const result = await process.query(kind, handle);
  if (!result.ok) return { kind, code: result.code, reason: result.reason };
  return { kind, code: 'MPIDBG_SUCCESS', info: result.value };
}

/** Which end a process is in, by the stacks of its threads. */
export function endingOf(threads: readonly (readonly Frame[])[], mpis: KnownMpis): RankAnswer['ending'] {
  const functions = threads.flatMap((frames) => frames.map((frame) => frame.function ?? ''));
  if (functions.some((name) => mpis.isFinalizer(name))) return 'MPI_Finalize';
  return functions.some((name) => /^((__GI_)?_?exit|__run_exit_handlers)$/.test(name)) ? 'exit' : undefined;
}

async function isPredefined(process: MpiProcess, kind: HandleKind, handle: bigint): Promise<boolean> {
  for (const constant of (await process.constants()).values())
    if (constant.kind === 'handle' && constant.handleKind === kind && constant.handle === handle) return true;
  return false;
}

function isMessage(answer: Answer): boolean {
  return answer.code === 'MPIDBG_SUCCESS' && 'operation' in answer.info && answer.info.operation === 'message';
}

function isPredefinedAnswer(answer: Answer): boolean {
  return answer.code === 'MPIDBG_SUCCESS' && 'flags' in answer.info && hasFlag(answer.info.flags, 'predefined');
}

function isInternal(answer: Answer): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || !('flags' in answer.info)) return false;
  return hasFlag(answer.info.flags, 'internal');
}

function hasFlag(flags: readonly string[], flag: string): boolean {
  return flags.includes(flag);
}
