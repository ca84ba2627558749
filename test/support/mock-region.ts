/** A process with a collector, whose region a test wrote: two performance variables, a control variable and a category. */
import { MockImage } from './mock-image';

const descriptorAt = 0x1000n;
const regionAt = 0x100000n;
const regionBytes = 2048;

/** In the order of region.h: the size of an entry, and how many there are. */
const shapes: [name: string, stride: number, count: number][] = [
  ['texts', 1, 0], // as many bytes as there are texts
  ['values', 8, 9],
  ['enums', 12, 1],
  ['enumItems', 8, 2],
  ['pvars', 24, 2],
  ['instances', 56, 2],
  ['cvars', 32, 2],
  ['categories', 32, 2],
  ['members', 4, 4],
  ['denied', 8, 1],
];

export class MockRegion {
  readonly image = new MockImage();
  /** The region as it is written, from its first byte to its last one. */
  readonly bytes = new Uint8Array(regionBytes);
  private readonly view = new DataView(this.bytes.buffer);
  private readonly places = new Map<string, number>();
  private texts = '\0';
  private readonly damaged: number[] = [];

  constructor() {
    this.image.map(descriptorAt, 160);
    const library = this.image.load('/dist/mpidbg-collector.so', []);
    this.image.define('mpidbg_collector', descriptorAt, library);
    this.image.writeBytes(descriptorAt, ...ascii('MPIDBGRG'), 1);
    this.image.writeU64(descriptorAt + 16n, regionAt);
    this.image.map(regionAt, regionBytes);
    this.writeVariables();
    this.image.writeBytes(regionAt, ...this.bytes);
  }

  /** Writes a byte of the process, until the next mend(). */
  damage(at: number, byte: number): void {
    this.damaged.push(at);
    this.image.writeBytes(regionAt + BigInt(at), byte);
  }

  mend(): void {
    for (const at of this.damaged.splice(0)) this.image.writeBytes(regionAt + BigInt(at), this.bytes[at]!);
  }

  private writeVariables(): void {
    const text = (words: string): number => {
      const offset = this.texts.length;
      this.texts += `${words}\0`;
      return offset;
    };
    const [unsigned, name] = [text('MPI_UNSIGNED'), text('pml_ob1_unexpected_msgq_length')];
    const world = text('MPI_COMM_WORLD');
    const pvars = [name, unsigned, text('by peer'), 0, 0x0601_0102, 0x0000_0002];
    const other = [text('in_state'), text('MPI_INT'), 0, 1, 0x0300_0000, 0x0000_0001];
    const settings = [text('eager_limit'), unsigned, 0, 0, 0x0200_0102, 1, 8, 0];
    const file = [text('file'), text('MPI_CHAR'), 0, 0, 0x0400_0001, 9, text('/etc/x'), 0];
    const kind = [text('states'), 0, 2];
    const items = [0, text('idle'), 1, text('busy')];
    const categories = [text('pml'), 0, 0, 1, 1, 1, 0, 0, text('inner'), 0, 3, 1, 0, 0, 0, 0];
    const denied = [text('mtl_psm2_x'), text('crashes')];
    this.layOut();
    this.put('texts', [...ascii(this.texts)], 1);
    this.put('values', [0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 4096, 0]);
    this.put('pvars', [...pvars, ...other]);
    this.put('instances', [0, 1, 0x44000000, 0, 2, 0, 1, 0, 0, 0, 500_000_000, 0, 0, world]);
    this.put('instances', [1, 1, 0, 0, 1, 4, 2, 0, 600_000_000, 0, 0, 0, 0, 0], 4, 56);
    this.put('cvars', [...settings, ...file]);
    this.put('enums', kind);
    this.put('enumItems', items);
    this.put('categories', categories);
    this.put('members', [0, 0, 1, 1]);
    this.put('denied', denied);
  }

  private layOut(): void {
    this.bytes.set(ascii('MPIDBGRG'));
    this.words(8, [1, 88, regionBytes, 0, 4711, 1]);
    this.words(60, [100, 0, shapes.length, 5, 7, 1]);
    let at = 88 + 24 * shapes.length;
    shapes.forEach(([name, stride, count], i) => {
      const entries = name === 'texts' ? this.texts.length : count;
      at = (at + 7) & ~7;
      this.places.set(name, at);
      this.words(88 + 24 * i, [at, 0, stride, entries, entries, 0]);
      at += stride * entries;
    });
  }

  private words(at: number, words: readonly number[]): void {
    words.forEach((word, i) => this.view.setUint32(at + 4 * i, word, true));
  }

  private put(table: string, numbers: readonly number[], width: 1 | 4 = 4, offset = 0): void {
    const at = this.places.get(table)! + offset;
    if (width === 1) this.bytes.set(numbers, at);
    else this.words(at, numbers);
  }
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
