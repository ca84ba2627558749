/** The editor tabs that show pictures: one for each title. */
import * as vscode from 'vscode';
import { rankCommands } from '../manifest/contributions';
import { WebPanel } from '../webviews/web-panel';
import type { FromPicture, Picture } from './picture';

export class PicturePanels implements vscode.Disposable {
  private readonly shown = new Map<string, { panel: WebPanel<Picture, FromPicture>; picture: Picture }>();

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
        receive: ({ shape: index }) => {
          const shape = shown.picture.shapes[index];
          if (shape?.kind === 'rank') void vscode.commands.executeCommand(rankCommands.showRow, shape.target);
        },
        closed: () => this.shown.delete(title),
      },
    );
    const shown = { panel, picture };
    this.shown.set(title, shown);
  }

  dispose(): void {
    for (const { panel } of this.shown.values()) panel.dispose();
  }
}
