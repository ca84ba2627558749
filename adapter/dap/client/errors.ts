/**
 * What a request can fail with: one function per message (those for errors from below the debug adapter:
 * error-translation.ts). A message is one sentence that says what to do; `blame` says whose fault it is. The user's errors
 * are shown, ours are logged with their stack, nobody's are silent.
 */
import type { Rank } from '../../job/rank';
import { whyUnreadable } from '../../query/why-no-answer';

export type Blame = 'user' | 'ours' | 'nobody';

export class RequestError extends Error {
  constructor(
    /** Unique per message: the id of DAP's error. */
    readonly id: number,
    message: string,
    readonly blame: Blame,
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

export const unknownRequest = (command: string): RequestError =>
  new RequestError(1, `mpidbg does not support the request "${command}"`, 'nobody');

export const notStarted = (command: string): RequestError =>
  new RequestError(2, `no job is being debugged: send launch or attach before ${command}`, 'nobody');

/** `hasTerminated`: its job has ended, or could not be started. */
export const alreadyStarted = (hasTerminated: boolean): RequestError => {
  const why = hasTerminated ? 'this session has ended' : 'this session already has a job';
  return new RequestError(3, `${why}: start another session for another job`, 'user');
};

export const startCancelled = (): RequestError => new RequestError(4, 'the start was cancelled', 'nobody');

/** `problem` is a sentence about one attribute of the launch configuration. */
export const wrongConfiguration = (problem: string): RequestError => new RequestError(5, problem, 'user');

export const unknownThread = (id: number): RequestError =>
  new RequestError(7, `there is no thread ${id}: it has ended`, 'nobody');

export const rankRuns = (rank: Rank): RequestError =>
  new RequestError(8, `${rank.label} is ${whyUnreadable(rank)}`, 'nobody');

export const staleReference = (): RequestError =>
  new RequestError(9, 'this value belongs to an earlier stop: ask for it again', 'nobody');

/** gdb's own words about an expression or a command of the user. */
export const notEvaluated = (words: string): RequestError => new RequestError(10, words, 'nobody');

export const nothingStopped = (): RequestError =>
  new RequestError(11, 'no focused rank is stopped: pause the job first', 'nobody');

export const wrongArguments = (command: string, problem: string): RequestError =>
  new RequestError(13, `${command}: ${problem}`, 'user');

export const jobEnded = (): RequestError => new RequestError(15, 'the job has ended', 'nobody');

/** The text that DAP prescribes. */
export const cancelled = (): RequestError => new RequestError(17, 'cancelled', 'nobody');

export const coreCannotRun = (what: string): RequestError =>
  new RequestError(18, `cannot ${what}: this is a core file`, 'nobody');

export const noSuchVariable = (variable: string, scope: string): RequestError =>
  new RequestError(19, `there is no variable ${variable} in ${scope}`, 'user');

export const notInitialized = (command: string): RequestError =>
  new RequestError(21, `send initialize before ${command}`, 'nobody');

export const alreadyInitialized = (): RequestError =>
  new RequestError(22, 'initialize was already sent: it comes first in a session, and only once', 'nobody');

/** An internal error. */
export const internalError = (error: unknown, log: string): RequestError => {
  const what = error instanceof Error ? error.message : String(error);
  return new RequestError(99, `internal error in mpidbg (${what}): please report it with the log ${log}`, 'ours');
};
