/** What ranks do, in words: the adapter names it by identifiers. */
import * as l10n from '@vscode/l10n';
import type { PositionState } from '../../plugin-api/hang/position';
import type { RankRow } from './job-client';

const rankStates: Record<RankRow['state'], () => string> = {
  starting: () => l10n.t('starting'),
  running: () => l10n.t('running'),
  stopped: () => l10n.t('stopped'),
  exited: () => l10n.t('exited'),
  lost: () => l10n.t('lost'),
  core: () => l10n.t('core'),
};

const stopReasons: Record<string, () => string> = {
  entry: () => l10n.t('entry'),
  breakpoint: () => l10n.t('breakpoint'),
  step: () => l10n.t('step'),
  pause: () => l10n.t('pause'),
  signal: () => l10n.t('signal'),
  attach: () => l10n.t('attach'),
};

const positionStates: Record<PositionState, () => string> = {
  blocked: () => l10n.t('blocked'),
  polling: () => l10n.t('polling'),
  running: () => l10n.t('running'),
  finalizing: () => l10n.t('finalizing'),
  ended: () => l10n.t('ended'),
  unknown: () => l10n.t('unknown'),
};

export function wordOfState(state: RankRow['state']): string {
  return rankStates[state]();
}

/** Signals have their names. */
export function wordOfStop(reason: string): string {
  return stopReasons[reason]?.() ?? reason;
}

/** Of a rank whose call is unknown. */
export function wordOfPosition(state: PositionState): string {
  return positionStates[state]();
}
