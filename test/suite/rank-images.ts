/** The memory of a held rank: as it is, or as a core file keeps it. */
import { CoreImage } from '../../adapter/images/core/core-image';
import { LiveImage } from '../../adapter/images/live/live-image';
import { CoreFolder } from '../support/core-files';
import { localProcess } from '../support/local-process';

export class RankImages {
  private readonly images: (LiveImage | CoreImage)[] = [];
  private readonly folders: CoreFolder[] = [];

  constructor(
    private readonly pid: number,
    private readonly fromCores: boolean,
  ) {}

  /** As the rank is now. */
  async open(): Promise<LiveImage | CoreImage> {
    const image = this.fromCores ? await this.openCore() : new LiveImage(localProcess(this.pid));
    this.images.push(image);
    return image;
  }

  close(): void {
    for (const image of this.images) image.close();
    for (const folder of this.folders) folder.remove();
  }

  private async openCore(): Promise<CoreImage> {
    const folder = new CoreFolder();
    this.folders.push(folder);
    const [core = ''] = await folder.gcore([this.pid]);
    return new CoreImage(core);
  }
}
