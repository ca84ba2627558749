/** Why a rank has no answer, in words for the user. */
import { QueryError, type FailureCode } from '../../plugin-api/result';
import { whyUnlike } from '../images/core/core-files';
import { ShortageError } from '../elf/shortage-error';
import { GdbLostError, type GdbError } from '../gdb/mi/mi-connection';
import type { Frame } from '../stacks/frame';
import { lostMpiOf } from '../job/lost-files';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { noticeText, type AdviceWords } from '../job/advice';
import type { Rank } from '../job/rank';
import { lossOf } from '../job/rank-ended';
import type { Language } from '../expressions/expression';
import { inWordsOf } from '../gdb/fortran-words';
import type { FrameChoice } from '../expressions/frames';

/** Why no handle can be decoded. */
export async function noMpi(
  rank: Rank,
  mpis: KnownMpis,
  words: AdviceWords,
): Promise<{ code: FailureCode; reason: string }> {
  const lost = lostMpiOf(rank.lostFiles, mpis);
  if (lost !== undefined) return { code: 'MPIDBG_ERR_UNAVAILABLE', reason: lost };
  const absent = await rank.image?.absentMpi();
  if (absent === undefined)
    return { code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: 'no MPI library is loaded in this process' };
  const { path, unlike, buildId } = absent;
  const text = `its MPI library ${path} ${unlike === undefined ? 'is not here' : `here ${whyUnlike(unlike, buildId)}`}`;
  const reason = noticeText({ text, advice: { kind: 'libraryFolder' } }, words);
  return { code: 'MPIDBG_ERR_UNAVAILABLE', reason };
}

/** The rank's gdb has ended, with that of other ranks. */
class LostRankError extends QueryError {}

export function notStopped(rank: Rank): QueryError {
  const loss = lossOf(rank);
  if (loss !== undefined) return new LostRankError('MPIDBG_ERR_UNAVAILABLE', loss);
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', `${rank.label} is not stopped (${rank.state})`);
}

/** Failures of a rank become answers, equal ones where ranks have lost the same gdb; internal errors are rethrown. */
export function failureOf({ gdb }: Rank, error: unknown): { code: FailureCode; reason: string } {
  if (error instanceof LostRankError) return { code: error.code, reason: `gdb ${gdb.howEnded}` };
  if (error instanceof QueryError) return { code: error.code, reason: error.message };
  if (error instanceof GdbLostError || error instanceof ShortageError)
    return { code: 'MPIDBG_ERR_UNAVAILABLE', reason: error.message };
  throw error;
}

/** Completes "rank 3 is …"; also used where many ranks have the same reason. */
export function whyUnreadable({ state, gdb }: Rank): string {
  if (state === 'exited') return 'no longer there: it has ended';
  return state === 'lost' ? `lost: gdb ${gdb.howEnded ?? 'no longer controls it'}` : 'running: pause it to look at it';
}

/** gdb's message; if the program has no such variable, gdb may name a type of the C library instead. */
export function wordsOf({ message, failure }: GdbError, source: string, language: Language): string {
  if (failure.reason === 'isType') return `No variable in "${source}" in current context`;
  return inWordsOf(language, message).replace(/\.$/, '');
}

/** "in deep at box.cpp:24", and where else a name has been looked for. */
export function whereLooked(isUnknownName: boolean, frame: Frame, choice: FrameChoice | undefined): string {
  return isUnknownName && choice === undefined
    ? `looked in ${describeFrame(frame)}, its callers and globals`
    : `in ${describeFrame(frame)}`;
}

function describeFrame(frame: Frame): string {
  const at = frame.file === undefined ? '' : ` at ${frame.file}:${frame.line ?? '?'}`;
  return `${frame.function ?? '??'}${at}`;
}
