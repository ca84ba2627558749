/** When a rank dies of a signal while others run on: says which signal and where, and offers to pause the others. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isFault } from '../../plugin-api/answers/signal-words';
import { visible } from '../../plugin-api/visible-text';
import { debugType } from '../manifest/manifest';
import { doingOf, nameOf } from './rank-text';
import { JobClient, type RankRow } from './job-client';
import { nameInSet } from './rank-numbers';

interface StoppedEvent {
  type?: string;
  event?: string;
  body?: {
    reason?: string;
    threadId?: number;
    text?: string;
    allThreadsStopped?: boolean;
    preserveFocusHint?: boolean;
  };
}

export function tellCrashes(): vscode.Disposable {
  return vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
    createDebugAdapterTracker: (session) => {
      const told = new Set<number>();
      return {
        onDidSendMessage: ({ type, event, body }: StoppedEvent) => {
          if (type !== 'event' || event !== 'stopped' || body?.reason !== 'exception') return;
          const { threadId, text = '', allThreadsStopped } = body;
          const [signal = ''] = text.split(' ');
          if (threadId === undefined || allThreadsStopped === true || !isCrash(signal) || told.has(threadId)) return;
          told.add(threadId);
          void tell(new JobClient(session), threadId, text).catch(() => undefined);
        },
      };
    },
  });
}

function isCrash(signal: string): boolean {
  return isFault(signal) || signal === 'SIGABRT';
}

async function tell(job: JobClient, threadId: number, signal: string): Promise<void> {
  const ranks = await job.ranksWithPlaces();
  const crashed = ranks.find(({ threadIds }) => threadIds.includes(threadId));
  const running = ranks.filter(({ state }) => state === 'running');
  if (crashed === undefined || running.length === 0) return;
  const pauseOthers = l10n.t('Pause the Others');
  const answer = await vscode.window.showErrorMessage(sentence(crashed, signal, running.length), pauseOthers);
  if (answer !== pauseOthers) return;
  const others = (await job.ranks()).flatMap((rank) => (rank.state === 'running' ? (nameInSet(rank) ?? []) : []));
  await job.actOnRanks('pause', others.join(','));
}

/** `cause`: where VS Code shows it, it names the rank. */
function sentence(crashed: RankRow, cause: string, others: number): string {
  const place = doingOf(crashed).split(' · ').slice(0, -1).join(' · ');
  const name = nameOf(crashed);
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const why = cause.endsWith(`, ${name}`) ? cause.slice(0, -name.length - 2) : cause;
  if (place === '')
    return visible(
      others === 1
        ? l10n.t('{0}: {1}. Another rank is still running.', title, why)
        : l10n.t('{0}: {1}. {2} other ranks run on.', title, why, others),
    );
  return visible(
    others === 1
      ? l10n.t('{0}: {1} in {2}. Another rank is still running.', title, why, place)
      : l10n.t('{0}: {1} in {2}. {3} other ranks run on.', title, why, place, others),
  );
}
