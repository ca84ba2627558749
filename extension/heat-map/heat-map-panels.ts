/** Editor tabs of heat maps, one for each variable: read every second, while ranks run and they can be seen. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Pvar } from '../../plugin-api/overlays/records';
import { rankCommands } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { WebPanel } from '../webviews/web-panel';
import { heatMapOf, type FromHeatMap, type HeatMap } from './heat-map';

const periodMs = 1000;

interface Shown {
  panel: WebPanel<HeatMap, FromHeatMap>;
  pvar: Pvar;
  object?: string;
}

export class HeatMapPanels implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly listening: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly extensionPath: string,
    changes: JobChanges,
  ) {
    this.listening = changes.onDidChange(() => this.readAll());
  }

  show(pvar: Pvar): void {
    const title =
      pvar.bind === 'COMM' ? l10n.t('{0}: ranks × peers', pvar.name) : l10n.t('{0}: ranks × elements', pvar.name);
    const open = this.shown.get(title);
    if (open !== undefined) {
      open.panel.reveal();
      return;
    }
    const panel = new WebPanel<HeatMap, FromHeatMap>(
      this.extensionPath,
      { name: 'heat-map', title },
      {
        ready: () => void this.read(shown),
        receive: (message) => {
          if (message.kind === 'rank')
            void vscode.commands.executeCommand(rankCommands.showRow, { ranks: message.rank });
          else {
            shown.object = message.object;
            void this.read(shown);
          }
        },
        closed: () => {
          this.shown.delete(title);
          if (this.shown.size === 0) clearInterval(this.timer);
        },
      },
    );
    const shown: Shown = { panel, pvar };
    if (this.shown.size === 0) this.timer = setInterval(() => this.readAll(), periodMs);
    this.shown.set(title, shown);
  }

  dispose(): void {
    this.listening.dispose();
    for (const { panel } of this.shown.values()) panel.dispose();
  }

  private readAll(): void {
    for (const shown of this.shown.values()) if (shown.panel.isVisible) void this.read(shown);
  }

  private async read(shown: Shown): Promise<void> {
    const { panel, pvar, object } = shown;
    const document = await JobClient.active()
      ?.pvars([pvar.name])
      .catch(() => undefined);
    const map = document && heatMapOf(document, pvar, object);
    if (map === undefined) return;
    // The busiest object is shown first, and then stays.
    if (map.rows.some(({ values }) => values.some((value) => value > 0))) shown.object ??= map.object;
    await panel.post(map);
  }
}
