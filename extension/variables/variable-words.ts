/** What a change of a variable came to, in words. */
import * as l10n from '@vscode/l10n';
import type { VariableAction, VariableChangeAnswer } from '../../plugin-api/overlays/records';

const refusals: Record<string, () => string> = {
  MPI_T_ERR_PVAR_NO_STARTSTOP: () => l10n.t('it cannot be started or stopped'),
  MPI_T_ERR_PVAR_NO_WRITE: () => l10n.t('it cannot be written or reset'),
  MPI_T_ERR_PVAR_NO_ATOMIC: () => l10n.t('it cannot be read and reset in one'),
  MPI_T_ERR_CVAR_SET_NOT_NOW: () => l10n.t('the library does not let it be set now'),
  MPI_T_ERR_CVAR_SET_NEVER: () => l10n.t('the library no longer allows setting it'),
  MPI_T_ERR_INVALID_HANDLE: () => l10n.t('the library has no such variable any more'),
};

const done: Record<VariableAction, () => string> = {
  start: () => l10n.t('started'),
  stop: () => l10n.t('stopped'),
  reset: () => l10n.t('reset'),
  readreset: () => l10n.t('read and reset'),
  write: () => l10n.t('written'),
};

const doneNow: Record<VariableAction, (values: string) => string> = {
  start: (values) => l10n.t('started, now {0}', values),
  stop: (values) => l10n.t('stopped, now {0}', values),
  reset: (values) => l10n.t('reset, now {0}', values),
  readreset: (values) => l10n.t('read and reset, now {0}', values),
  write: (values) => l10n.t('written, now {0}', values),
};

const titles: Record<VariableAction, (name: string) => string> = {
  start: (name) => l10n.t('MPI: start {0}', name),
  stop: (name) => l10n.t('MPI: stop {0}', name),
  reset: (name) => l10n.t('MPI: reset {0}', name),
  readreset: (name) => l10n.t('MPI: readreset {0}', name),
  write: (name) => l10n.t('MPI: write {0}', name),
};

/** The title of the progress message. */
export function titleOf(action: VariableAction, name: string): string {
  return titles[action](name);
}

export function wordsOfAnswer(action: VariableAction, { done: isDone, error, values }: VariableChangeAnswer): string {
  if (!isDone) {
    const words = error === undefined ? undefined : refusals[error];
    return words === undefined ? (error ?? l10n.t('not done')) : `${words()} (${error})`;
  }
  return values === undefined ? done[action]() : doneNow[action](values.join(' '));
}
