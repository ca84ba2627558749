/** The enumerations of a region, which variables refer to. */
import type { Enumeration } from './records';
import { Parts, type Region, type Table, type Texts } from './region';

export class Enumerations {
  private readonly known = new Map<number, Enumeration>();

  private constructor(
    private readonly enums: Table,
    private readonly items: Parts,
    private readonly texts: Texts,
  ) {}

  static async of(region: Region, texts: Texts): Promise<Enumerations> {
    const items = new Parts(await region.table('enumItems'), 'items of an enumeration');
    return new Enumerations(await region.table('enums'), items, texts);
  }

  /** `reference`: its number, from 1; 0: there is none. Throws CorruptError. */
  at(reference: number): Enumeration | undefined {
    if (reference === 0) return undefined;
    const known = this.known.get(reference) ?? this.read(this.enums.at(reference - 1));
    this.known.set(reference, known);
    return known;
  }

  private read(bytes: DataView): Enumeration {
    return {
      name: this.texts.at(bytes.getUint32(0, true)),
      items: this.items.take(bytes.getUint32(4, true), bytes.getUint32(8, true)).map((item) => ({
        value: item.getInt32(0, true),
        name: this.texts.at(item.getUint32(4, true)),
      })),
    };
  }
}
