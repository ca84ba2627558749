/** What does not change in the region of a process, so that looks at it ten times a second cost little. */
import type { ProcessImage } from '../image';
import { describeCvars, type DescribedCvar } from './cvars';
import { Enumerations } from './enumerations';
import { describePvars, type DescribedPvar } from './pvars';
import type { Category, CollectorState } from './records';
import { Region, type Texts } from './region';

/** A value, and what it was made of: it is made again when that has changed. */
class Kept<T> {
  private made: { of: readonly unknown[]; value: T } | undefined;

  async get(of: readonly unknown[], make: () => T | Promise<T>): Promise<T> {
    const { made } = this;
    if (made !== undefined && of.every((each, i) => each === made.of[i])) return made.value;
    const value = await make();
    this.made = { of, value };
    return value;
  }
}

/** By what it was asked for with. */
class KeptFor<K extends WeakKey, T> {
  private readonly kept = new WeakMap<K, Kept<T>>();

  of(key: K): Kept<T> {
    const kept = this.kept.get(key) ?? new Kept<T>();
    this.kept.set(key, kept);
    return kept;
  }
}

type NameFilter = (name: string) => boolean;

/** Tables only grow: what was made of one is good for as long as it has no more entries. */
class RegionMemory {
  readonly texts = new Kept<Texts>();
  readonly enumerations = new Kept<Enumerations>();
  readonly denied = new Kept<CollectorState['denied']>();
  readonly pvars = new KeptFor<NameFilter, DescribedPvar[]>();
  readonly cvars = new KeptFor<NameFilter, DescribedCvar[]>();
  readonly categories = new Map<string, Kept<Category[]>>();

  constructor(
    readonly address: bigint,
    readonly start: bigint,
  ) {}
}

export class OverlayMemory {
  private known = new RegionMemory(0n, 0n);

  /** As Region.open(); after the first time without a search for it, unless another program has come into the process. */
  async open(image: ProcessImage): Promise<Region> {
    const { address, start } = this.known;
    const again = address === 0n ? undefined : await Region.again(image, address);
    if (again?.header.start === start) return again;
    const region = await Region.open(image);
    this.known = new RegionMemory(region.address, region.header.start);
    return region;
  }

  textsOf(region: Region): Promise<Texts> {
    return this.known.texts.get([region.count('texts')], () => region.texts());
  }

  deniedOf(region: Region, read: () => Promise<CollectorState['denied']>): Promise<CollectorState['denied']> {
    return this.known.denied.get([region.count('denied')], read);
  }

  /** Those with such a name. The same filter again costs nothing. */
  async pvarsOf(region: Region, texts: Texts, isWanted: NameFilter): Promise<DescribedPvar[]> {
    const enumerations = await this.enumerationsOf(region, texts);
    const describe = (): Promise<DescribedPvar[]> => describePvars(region, texts, enumerations, isWanted);
    return this.known.pvars.of(isWanted).get([region.count('pvars')], describe);
  }

  async cvarsOf(region: Region, texts: Texts, isWanted: NameFilter): Promise<DescribedCvar[]> {
    const enumerations = await this.enumerationsOf(region, texts);
    const describe = (): Promise<DescribedCvar[]> => describeCvars(region, texts, enumerations, isWanted);
    return this.known.cvars.of(isWanted).get([region.count('cvars')], describe);
  }

  enumerationsOf(region: Region, texts: Texts): Promise<Enumerations> {
    const of = [region.count('enums'), region.count('enumItems')];
    return this.known.enumerations.get(of, () => Enumerations.of(region, texts));
  }

  /** They change when MPI_T says so, or when something was added. */
  categoriesOf(region: Region, part: string, read: () => Promise<Category[]>): Promise<Category[]> {
    const { last, noticed } = region.header.changed;
    const tables = ['categories', 'members', 'pvars', 'cvars', 'eventTypes'] as const;
    const kept = this.known.categories.get(part) ?? new Kept<Category[]>();
    this.known.categories.set(part, kept);
    return kept.get([last, noticed, ...tables.map((name) => region.count(name))], read);
  }
}
