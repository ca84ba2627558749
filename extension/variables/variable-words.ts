/** What a change of a variable came to, in words. */
import type { VariableAction, VariableChangeAnswer } from '../../plugin-api/overlays/records';

const refusals: Record<string, string> = {
  MPI_T_ERR_PVAR_NO_STARTSTOP: 'it cannot be started or stopped',
  MPI_T_ERR_PVAR_NO_WRITE: 'it cannot be written or reset',
  MPI_T_ERR_PVAR_NO_ATOMIC: 'it cannot be read and reset in one',
  MPI_T_ERR_CVAR_SET_NOT_NOW: 'the library does not let it be set now',
  MPI_T_ERR_CVAR_SET_NEVER: 'the library does not let it be set any more',
  MPI_T_ERR_INVALID_HANDLE: 'the library has no such variable any more',
};

const done: Record<VariableAction, string> = {
  start: 'started',
  stop: 'stopped',
  reset: 'reset',
  readreset: 'read and reset',
  write: 'written',
};

export function wordsOfAnswer(action: VariableAction, { done: isDone, error, values }: VariableChangeAnswer): string {
  if (!isDone) {
    const words = error === undefined ? undefined : refusals[error];
    return words === undefined ? (error ?? 'not done') : `${words} (${error})`;
  }
  return values === undefined ? done[action] : `${done[action]}, now ${values.join(' ')}`;
}
