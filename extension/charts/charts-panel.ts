/** The editor tab of live charts: asks for the pinned variables ten times a second, while ranks run and it can be seen. */
import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { WebPanel } from '../webviews/web-panel';
import type { ChartedVariable, FromCharts, ToCharts } from './chart-messages';
import { samplesOf } from './pvar-samples';

const periodMs = 100;

export class ChartsPanel implements vscode.Disposable {
  private panel: WebPanel<ToCharts, FromCharts> | undefined;
  private charts: ChartedVariable[] = [];
  private timer: NodeJS.Timeout | undefined;
  private job: JobClient | undefined;
  /** Milliseconds of charted running time before `since`. */
  private elapsed = 0;
  private since: number | undefined;
  private isAsking = false;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly extensionPath: string,
    changes: JobChanges,
  ) {
    this.listening = changes.onDidChange(() => void this.follow());
  }

  pin(variable: ChartedVariable): void {
    if (!this.charts.some(({ id }) => id === variable.id)) this.charts.push(variable);
    if (this.panel === undefined) this.open();
    else {
      this.panel.reveal();
      this.tellCharts();
    }
  }

  dispose(): void {
    this.listening.dispose();
    this.panel?.dispose();
  }

  private open(): void {
    const page = { name: 'charts', title: l10n.t('MPI Charts'), isKept: true } as const;
    const panel = new WebPanel<ToCharts, FromCharts>(this.extensionPath, page, {
      ready: () => this.tellCharts(),
      receive: ({ id }) => {
        this.charts = this.charts.filter((chart) => chart.id !== id);
        if (this.charts.length === 0) panel.dispose();
        else this.tellCharts();
      },
      closed: () => {
        this.pause();
        this.elapsed = 0;
        this.panel = undefined;
        this.job = undefined;
        this.charts = [];
      },
    });
    panel.onDidChangeVisibility(() => void this.follow());
    this.panel = panel;
  }

  private tellCharts(): void {
    void this.panel?.post({ kind: 'charts', charts: this.charts });
    void this.follow();
  }

  /** Asks while there is something to see; once more when the ranks have stopped. */
  private async follow(): Promise<void> {
    const { panel } = this;
    if (panel === undefined) return;
    const job = JobClient.active();
    if (job === undefined || !panel.isVisible) {
      this.pause();
      if (job === undefined) this.tellState(l10n.t('No job is running: charts are paused.'));
      return;
    }
    if (this.job !== undefined && !job.isOfSession(this.job)) {
      this.pause();
      this.elapsed = 0;
      void panel.post({ kind: 'restart' });
    }
    this.job = job;
    const runs = await job.ranks().then(
      (ranks) => ranks.some(({ state }) => state === 'running'),
      () => false,
    );
    if (panel !== this.panel) return;
    if (!runs) {
      await this.sample();
      this.pause();
      this.tellState(l10n.t('Paused: no rank runs.'));
    } else if (this.since === undefined) {
      this.since = Date.now();
      if (this.elapsed > 0) void panel.post({ kind: 'break' });
      this.tellState('');
      this.timer = setInterval(() => void this.sample(), periodMs);
    }
  }

  private pause(): void {
    clearInterval(this.timer);
    if (this.since !== undefined) this.elapsed += Date.now() - this.since;
    this.since = undefined;
  }

  /** A slow answer delays the next question: there is never more than one. */
  private async sample(): Promise<void> {
    const { job, panel, charts } = this;
    if (this.isAsking || job === undefined || panel === undefined || charts.length === 0) return;
    this.isAsking = true;
    try {
      const document = await job.pvars([...new Set(charts.map(({ name }) => name))]);
      const at = (this.elapsed + (this.since === undefined ? 0 : Date.now() - this.since)) / 1000;
      const samples = Object.fromEntries(charts.map((chart) => [chart.id, samplesOf(document, chart)]));
      if (panel === this.panel) await panel.post({ kind: 'samples', at, samples });
    } catch (error) {
      this.tellState(error instanceof Error ? error.message : String(error));
    } finally {
      this.isAsking = false;
    }
  }

  private tellState(text: string): void {
    void this.panel?.post({ kind: 'state', text });
  }
}
