/** The editor tab of the timeline: asks every second for what is new, rank after rank, while ranks run and it can be seen. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import { mergeEqual } from '../../plugin-api/answers/merge';
import type { RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { showCommOfRank } from '../pictures/comm-of-rank';
import type { PicturePanels } from '../pictures/picture-panels';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { namesIn, type RankName } from '../ranks/rank-numbers';
import { wordsOfRanks } from '../ranks/rank-text';
import { showRow } from '../ranks/selection';
import { WebPanel } from '../webviews/web-panel';
import { RankFeed } from './rank-feed';
import { TimelineEnd } from './timeline-end';
import type { FromTimeline, ToTimeline } from './timeline-messages';

const periodMs = 1000;
const parts = ['calls', 'events', 'ompt'] as const;

export class TimelinePanel implements vscode.Disposable {
  private panel: WebPanel<ToTimeline, FromTimeline> | undefined;
  private job: JobClient | undefined;
  private feeds = new Map<RankName, RankFeed>();
  /** Milliseconds since 1970: when the collector of the rank that was asked first began. */
  private zero: number | undefined;
  private readonly end = new TimelineEnd();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;
  private opened = 0;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly extensionPath: string,
    private readonly pictures: PicturePanels,
    changes: JobChanges,
  ) {
    this.listening = changes.onDidChange(() => void this.ask());
  }

  show(): void {
    if (this.panel !== undefined) {
      this.panel.reveal();
      return;
    }
    const page = { name: 'timeline', title: l10n.t('MPI Timeline'), isKept: true } as const;
    this.panel = new WebPanel<ToTimeline, FromTimeline>(this.extensionPath, page, {
      ready: () => void this.ask(),
      receive: (message) => void this.open(message),
      closed: () => {
        clearInterval(this.timer);
        this.panel = undefined;
        this.forget();
      },
    });
    this.forget();
    this.timer = setInterval(() => void this.ask(), periodMs);
  }

  dispose(): void {
    this.listening.dispose();
    this.panel?.dispose();
  }

  /** What was read before is not known to the adapter's next answer under another name. */
  private forget(): void {
    this.opened += 1;
    this.feeds = new Map();
    this.zero = undefined;
    this.job = undefined;
    this.end.forget();
  }

  private async ask(): Promise<void> {
    const { panel } = this;
    const job = JobClient.active();
    if (panel === undefined || job === undefined || !panel.isVisible || this.isAsking) return;
    this.isAsking = true;
    try {
      if (this.job !== undefined && !job.isOfSession(this.job)) {
        this.forget();
        await panel.post({ kind: 'restart' });
      }
      this.job = job;
      const notes: { rank: RankOverlay; text: string }[] = [];
      const times: number[] = [];
      for (const rank of namesIn((await job.focus()).ranks)) {
        const overlay = await this.newsOf(job, rank);
        if (panel !== this.panel) return;
        if (overlay === undefined) continue;
        const note = noteOf(overlay);
        if (note !== undefined) notes.push({ rank: overlay, text: note });
        if (isUnavailable(overlay.collector)) continue;
        const feed = this.feedOf(rank, Date.parse(overlay.collector.clock.start));
        times.push(overlay.collector.clock.now + feed.offset);
        const threads = feed.take(overlay);
        this.end.see(threads);
        await panel.post({ kind: 'items', rank, threads });
      }
      const lines = mergeEqual(notes).map(({ ranks, text }) => `${wordsOfRanks(ranks)}: ${text}`);
      const runs = (await job.ranks()).some(({ state }) => state === 'running');
      const now = times.length === 0 ? {} : { now: this.end.at(knownUntil(times), runs) };
      await panel.post({ kind: 'asked', notes: lines, stands: !runs, ...now });
    } catch (error) {
      await panel.post({ kind: 'asked', notes: [error instanceof Error ? error.message : String(error)] });
    } finally {
      this.isAsking = false;
    }
  }

  /** Calls, events and OpenMP, as far as they are collected, in one. */
  private async newsOf(job: JobClient, rank: RankName): Promise<RankOverlay | undefined> {
    let told: RankOverlay | undefined;
    for (const part of parts) {
      const collects = told === undefined || isUnavailable(told.collector) ? [] : told.collector.collects;
      if (told !== undefined && !collects.includes(part)) continue;
      const [news] = overlaysOf(await job.news(part, rank, `timeline ${this.opened}`));
      if (news === undefined) continue;
      const lost = [...(told?.lost ?? []), ...(news.lost ?? [])];
      told = { ...told, ...news, ...(lost.length === 0 ? {} : { lost }) };
    }
    return told;
  }

  private feedOf(rank: RankName, start: number): RankFeed {
    this.zero ??= start;
    const feed = this.feeds.get(rank) ?? new RankFeed((start - this.zero) / 1000);
    this.feeds.set(rank, feed);
    return feed;
  }

  private async open(message: FromTimeline): Promise<void> {
    if (message.kind === 'source') {
      await showRow({ ranks: message.rank, source: { file: message.file, line: message.line } });
      return;
    }
    try {
      await showCommOfRank(this.job, this.pictures, message);
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Seconds; the clock of a rank that is behind so much stands still: its MPI has ended. */
const maxLate = 3;

/** Ranks are asked one after another: the first answer is the oldest. */
function knownUntil(times: readonly number[]): number {
  const newest = Math.max(...times);
  return Math.min(...times.filter((time) => time > newest - maxLate));
}

/** Why calls are not there. */
function noteOf({ collector, calls }: RankOverlay): string | undefined {
  if (isUnavailable(collector)) return collector.reason;
  return calls !== undefined && isUnavailable(calls) ? calls.reason : undefined;
}
