/** What ranks do, in words: the adapter names it by identifiers. */
import * as l10n from '@vscode/l10n';
import type { HangDocument, HangType } from '../../plugin-api/hang/hang-records';
import type { PositionState } from '../../plugin-api/hang/position';
import type { RankRow } from './job-client';

const rankStates: Record<RankRow['state'], () => string> = {
  starting: () => l10n.t('starting'),
  running: () => l10n.t('running'),
  stopped: () => l10n.t('stopped'),
  exited: () => l10n.t('exited'),
  lost: () => l10n.t('lost'),
  core: () => l10n.t('core'),
  absent: () => l10n.t('not in the session'),
};

const stopReasons: Record<string, () => string> = {
  entry: () => l10n.t('entry'),
  breakpoint: () => l10n.t('breakpoint'),
  step: () => l10n.t('step'),
  pause: () => l10n.t('paused'),
  signal: () => l10n.t('signal'),
  attach: () => l10n.t('attached'),
  death: () => l10n.t('about to end'),
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

/** The word for a rank whose call is unknown. */
export function wordOfPosition(state: PositionState): string {
  return positionStates[state]();
}

const hangTypes: Record<HangType, () => string> = {
  'root-mismatch': () => l10n.t('the roots differ'),
  'comm-mismatch': () => l10n.t('the communicators differ'),
  'collective-order-mismatch': () => l10n.t('collective calls in different orders'),
  'collective-missing-rank': () => l10n.t('a collective call that some do not reach'),
  'tag-mismatch': () => l10n.t('the tags differ'),
  'p2p-cycle': () => l10n.t('ranks wait for each other'),
  'p2p-missing-partner': () => l10n.t('a message without its partner'),
  'missing-wait': () => l10n.t('an operation that was never completed'),
  rma: () => l10n.t('windows'),
  threads: () => l10n.t('threads of one process'),
  other: () => l10n.t('ranks that cannot go on'),
};

/** "Deadlock: the tags differ" */
export function titleOfVerdict({ verdict, type }: Pick<HangDocument, 'verdict' | 'type'>): string {
  if (verdict === 'deadlock') return l10n.t('Deadlock: {0}', hangTypes[type ?? 'other']());
  return verdict === 'progress' ? l10n.t('No deadlock') : l10n.t('Whether this is a deadlock is unknown');
}
