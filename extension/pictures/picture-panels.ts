/** The editor tabs that show pictures: one for each title. Each is of the stop at which it was drawn, and says so later. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { rankCommands } from '../manifest/contributions';
import { onAdapterMessage } from '../ranks/adapter-messages';
import type { RowTarget } from '../ranks/row-target';
import { WebPanel } from '../webviews/web-panel';
import type { FromPicture, Picture } from './picture';

export class PicturePanels implements vscode.Disposable {
  private readonly shown = new Map<string, { panel: WebPanel<Picture, FromPicture>; picture: Picture }>();

  private readonly tracking = onAdapterMessage((message) => {
    if (message.type === 'event' ? movingEvents.has(message.event) : movingCommands.has(message.command)) this.ageAll();
  });

  constructor(private readonly extensionPath: string) {}

  async show(picture: Picture): Promise<void> {
    const { title } = picture;
    const open = this.shown.get(title);
    if (open !== undefined) {
      open.picture = picture;
      open.panel.reveal();
      await open.panel.post(picture);
      return;
    }
    const panel = new WebPanel<Picture, FromPicture>(
      this.extensionPath,
      { name: 'picture', title },
      {
        ready: () => void panel.post(shown.picture),
        receive: (message) => {
          const target = targetOf(shown.picture, message);
          if (target !== undefined) void vscode.commands.executeCommand(rankCommands.showRow, target);
        },
        closed: () => this.shown.delete(title),
      },
    );
    const shown = { panel, picture };
    this.shown.set(title, shown);
  }

  private ageAll(): void {
    const note = l10n.t('Of an earlier stop: the job has moved since.');
    for (const open of this.shown.values()) {
      if (open.picture.lines[0] === note) continue;
      open.picture = { ...open.picture, lines: [note, ...open.picture.lines] };
      void open.panel.post(open.picture);
    }
  }

  dispose(): void {
    this.tracking.dispose();
    for (const { panel } of this.shown.values()) panel.dispose();
  }
}

/** What was clicked. */
function targetOf({ shapes, links = [] }: Picture, message: FromPicture): RowTarget | undefined {
  if (message.kind === 'followed') return links[message.link]?.target;
  const shape = shapes[message.shape];
  return shape?.kind === 'rank' ? shape.target : undefined;
}

/** What moves ranks: a stop alone may be told again, when another rank is selected. */
const movingEvents = new Set(['continued', 'terminated']);
const movingCommands = new Set(['continue', 'next', 'stepIn', 'stepOut', 'goto']);
