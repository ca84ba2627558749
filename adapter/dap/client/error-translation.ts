/** The errors of the floors below, as answers to a request. Apart from errors.ts, so that whoever only reports needs none of them. */
import { QueryError } from '../../../plugin-api/result';
import { AgentError } from '../../agent/agent-script';
import { orShortage, ShortageError } from '../../elf/shortage-error';
import { minGdbVersion, UnusableGdbError } from '../../gdb/unusable-gdb';
import { GdbError, GdbLostError } from '../../gdb/mi/mi-connection';
import { whyNoFolder } from '../../hosts/working-folder';
import { noticeText } from '../../job/advice';
import { LaunchError, StartError } from '../../job/start-error';
import { lossOf, RankEndedError } from '../../job/rank-ended';
import { RankSetError } from '../../../plugin-api/answers/rank-set';
import { tooLong } from '../../query/frame-search';
import { PluginError } from '../../query/plugin-error';
import { NoValueError } from '../../query/shown/no-value-error';
import { adviceText, launchAdviceText } from './advice';
import { jobEnded, notEvaluated, RequestError } from './errors';

const startFailed = (why: string): RequestError => new RequestError(6, why, 'user');

const unusableGdb = ({ message, isAtFault }: UnusableGdbError): RequestError =>
  startFailed(isAtFault ? `${message}: install gdb ${minGdbVersion} or newer, or name one with "gdb"` : message);

const wrongRankSet = (problem: string): RequestError => new RequestError(14, problem, 'user');

/** It was stopped when it was asked for. */
const hasGoneOn = (): RequestError =>
  new RequestError(20, 'the rank is running again: pause it to look at it', 'nobody');

const rankHasEnded = (): RequestError => new RequestError(25, 'the rank has ended', 'nobody');

const gdbLost = (sentence: string): RequestError => new RequestError(23, sentence, 'nobody');

/** What the process does or is: it has exited, or may not be read. */
const noAnswer = (why: string): RequestError => new RequestError(24, why, 'nobody');

const gdbFailed = (words: string): RequestError => new RequestError(16, `gdb: ${words}`, 'user');

/** The error that a request is answered with; undefined for an internal error. */
export function requestErrorOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (error instanceof LaunchError) return startFailed(noticeText(error.launchNotice, launchAdviceText));
  if (error instanceof StartError) return startFailed(noticeText(error.notice, adviceText));
  if (error instanceof AgentError) return startFailed(error.message);
  if (error instanceof UnusableGdbError) return unusableGdb(error);
  if (error instanceof QueryError) return noAnswer(error.message);
  const shortage = orShortage(error);
  if (shortage instanceof ShortageError) return startFailed(shortage.message);
  if (error instanceof PluginError) return startFailed(error.message);
  if (error instanceof RankSetError) return wrongRankSet(error.message);
  if (error instanceof NoValueError) return notEvaluated(error.message);
  if (error instanceof RankEndedError) return lossOf(error.rank) === undefined ? jobEnded() : gdbLost(error.message);
  if (error instanceof GdbLostError) return gdbLost(error.message);
  if (error instanceof GdbError && error.failure.reason === 'running') return hasGoneOn();
  if (error instanceof GdbError && error.failure.reason === 'ended') return rankHasEnded();
  if (error instanceof GdbError)
    return error.failure.reason === 'tooLong' ? noAnswer(tooLong) : gdbFailed(error.message);
  const noFolder = whyNoFolder(error);
  return noFolder === undefined ? undefined : startFailed(noFolder);
}
