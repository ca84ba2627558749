/** What does not change in the region of a process, so that looks at it ten times a second cost little. */
import type { ProcessImage } from '../image';
import type { Category } from './records';
import { Region, type Texts } from './region';

export class OverlayMemory {
  private region: { address: bigint; start: bigint } | undefined;
  private texts: { count: number; texts: Texts } | undefined;
  private readonly categories = new Map<string, Category[]>();

  /** As Region.open(); after the first time without a search for it, unless another program has come into the process. */
  async open(image: ProcessImage): Promise<Region> {
    const known = this.region && (await Region.again(image, this.region.address));
    if (known !== undefined && known.header.start === this.region?.start) return known;
    const region = await Region.open(image);
    this.region = { address: region.address, start: region.header.start };
    this.texts = undefined;
    this.categories.clear();
    return region;
  }

  /** Texts are only added. */
  async textsOf(region: Region): Promise<Texts> {
    const count = region.count('texts');
    if (this.texts?.count !== count) this.texts = { count, texts: await region.texts() };
    return this.texts.texts;
  }

  /** They change when MPI_T says so, or when something was added. */
  async categoriesOf(region: Region, part: string, read: () => Promise<Category[]>): Promise<Category[]> {
    const { last, noticed } = region.header.changed;
    const counts = (['categories', 'members', 'pvars', 'cvars', 'eventTypes'] as const).map((name) =>
      region.count(name),
    );
    const key = [part, last, noticed, ...counts].join();
    const categories = this.categories.get(key) ?? (await read());
    if (!this.categories.has(key)) this.categories.clear();
    this.categories.set(key, categories);
    return categories;
  }
}
