/**
 * A process with a collector, whose region a test wrote: two performance variables, two control variables, two categories, and
 * a type of events with three records in a ring that has come round once, calls of a thread with a ring of its own, and two threads
 * of OpenMP, of which one waits for a lock of the other.
 */
import { MockImage } from './mock-image';

const descriptorAt = 0x1000n;
const regionAt = 0x100000n;
const regionBytes = 16384;

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
  ['members', 4, 5],
  ['denied', 8, 1],
  ['hints', 8, 1],
  ['sources', 88, 1],
  ['eventTypes', 48, 1],
  ['elements', 16, 3],
  ['registrations', 24, 1],
  ['rings', 64, 4],
  ['slots', 64, 24],
  ['requests', 536, 1],
  ['functions', 16, 3],
  ['calling', 200, 3],
  ['comms', 32, 2],
  ['lives', 80, 5],
  ['openmp', 16, 1],
  ['callbacks', 16, 40],
  ['ompThreads', 1536, 3],
  ['parallels', 40, 4],
  ['tasks', 40, 4],
  ['devices', 24, 1],
  ['images', 32, 1],
];

/** CALL_ANY of region.h. */
const any = 0x8000_0000;
/** The second words of records of source 0. */
const event = { copied: 2 * 2 ** 40 + 1 * 2 ** 32, notice: 0, denied: 3 * 2 ** 40 + 3 * 2 ** 32 };

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
    this.image.writeBytes(descriptorAt, ...ascii('MPIDBGRG'), 5);
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
    const categories = [text('pml'), 0, 0, 1, 1, 1, 0, 1, text('inner'), 0, 4, 1, 0, 0, 0, 0];
    const denied = [text('mtl_psm2_x'), text('crashes')];
    const hints = [text('buffered'), text('no')];
    // 1000 ticks a second, of which 500 were 0.25 seconds after the start; it begins again after 999.
    const sources = [text('queues'), 0, 0, 0, 0, 0, 1000, 0, 999, 0, 7, 0, 1, 0, 0, 0, 0, 0, 500, 0, 250_000_000, 0];
    const types = [text('enqueued'), 0, 1, 0, 3, 0, 1, 0x0102, 9, 0, 7, 0];
    const elements = [text('MPI_INT'), 1, 0, 0, unsigned, 2, 4, 0, text('MPI_CHAR'), 4, 8, 0];
    const registrations = [0, 1, 0x44000000, 0, world, 15];
    const functions = [text('MPI_Send'), 11, 2, 0, text('MPI_Recv'), 11, 1, 0, text('MPI_Request_free'), 0, 1, 0];
    // Communicators that had the same handle one after the other.
    const first = text('first');
    const comms = [0x84, 0, 0, 0, 250_000_000, 0, first, 0, 0x84, 0, 250_000_000, 0, 0, 0, text('ocean'), 0];
    const [runtime, device] = [text('LLVM OMP'), text('generic')];
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
    this.put('members', [0, 0, 1, 0, 1]);
    this.put('denied', denied);
    this.put('hints', hints);
    this.put('sources', sources);
    this.put('eventTypes', types);
    this.put('elements', elements);
    this.put('registrations', registrations);
    // The first of eight slots was written again; the second ring was never written to.
    this.put('rings', [4711, 0, 8, 0, 9, 0, 6, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 8, 4]);
    this.put('rings', [4713, 12, 4, 0, 1, 0, 1, 0, 0], 4, 128);
    this.put('functions', functions);
    this.put('comms', comms);
    // A communicator that is there under the handle of one that was freed; a datatype whose making was not seen.
    const [made, freed] = [
      [100_000_000, 0, 0x4000, 0, 1, 4713],
      [200_000_000, 0, 0x4010, 0, 2, 4713],
    ];
    const nothing = [0, 0, 0, 0, 0, 0];
    this.put('lives', [2, 0, 0x84, 0, 1, 0, 5, first, ...made, ...freed]);
    this.put('lives', [2, 0, 0x84, 0, 3, 0, 5, 0, 300_000_000, 0, 0x4020, 0, 1, 4714, ...nothing], 4, 80);
    this.put('lives', [2, 1, 0x8c, 0, 2, 0, 7, 0, ...nothing, ...freed], 4, 160);
    this.put('lives', [2, 8, 0x98, 0, 4, 0, 0, 0, ...made, ...freed], 4, 240);
    const freedRequest = [...freed.slice(0, 4), 3, 4713];
    this.put('lives', [2, 8, 0x9c, 0, 5, 0, 0, 0, ...made, ...freedRequest], 4, 320);
    // Generation, thread, and total; inside MPI_Recv from any rank with any tag.
    this.put('calling', [4, 0, 4713, 0, 3, 0, 2, 0, 900_000_000, 0, 0, 0, 0x4010, 0, 0x84, 0, any, any], 4, 400);
    this.writeRecord(0, { kind: 3, time: 200_000_000, words: [300_000_000, 0x4000, 0x84, 5 * 2 ** 32 + 1, 64] }, 12);
    this.writeRecord(3, { kind: 1, time: 300_000_000, words: [520, event.copied, 0x44000000, -1, 7, 65] });
    this.writeRecord(5, { kind: 2, time: 400_000_000, words: [0, event.notice, 0x44000000, 7] });
    this.writeRecord(8, { kind: 1, time: 750_000_000, words: [0, event.denied, 0x44000000] });
    this.writeOpenmp(runtime, device);
  }

  /** Thread 4712 has taken the lock 0x5000 in region 5 of two threads, whose other one does task 6, and waits for it there. */
  private writeOpenmp(runtime: number, device: number): void {
    this.put('openmp', [2, 201611, runtime, 0]);
    this.put('callbacks', [5, 0, 2, 0], 4, 16);
    this.put('ompThreads', [2, 0, 4712, 0x0001_0001, 3, 0]);
    this.put('ompThreads', [5, 0, 3, 0, 2, 0, 2], 4, 24);
    this.put('ompThreads', [0x5000, 0, 0x4020, 0, 400_000_000, 0, 1], 4, 664);
    this.put('ompThreads', [1, 0], 4, 1176 + 8);
    const other = 1536;
    this.put('ompThreads', [4, 0, 4713, 0x0101_0002, 6, 0], 4, other);
    this.put('ompThreads', [5, 0, 4, 0, 2, 1, 2], 4, other + 24);
    this.put('ompThreads', [6, 0, 0x5000, 0, 0x4030, 0, 500_000_000, 0, 2, 1, 2], 4, other + 280);
    // Region 5 is a place behind its own, which one that has ended still has.
    this.put('parallels', [1, 0x8000_0000], 4, 40);
    this.put('parallels', [5, 0, 0, 0, 2, 0, 0x4040, 0, 0x8000_0001, 2], 4, 80);
    this.put('tasks', [6, 0, 5, 0, 3, 0, 0x4050, 0, 4, 0], 4, 80);
    this.put('devices', [1, device, 0, 2, 3, 0]);
    this.put('images', [1, 0, 0, 0, 0x7000, 0, 64, 0]);
    this.put('rings', [4712, 16, 8, 0, 3, 0, 3, 0, 0], 4, 192);
    const parallelBegin = { kind: 4, what: 3, time: 300_000_000, words: [2, 5, 2, 0x8000_0001, 0x4040] };
    this.writeRecord(0, parallelBegin, 16);
    this.writeRecord(1, { kind: 4, what: 20 + 256, time: 350_000_000, words: [1, 5, 3, 100, 0x4060] }, 16);
    this.writeRecord(2, { kind: 5, what: 8, time: 360_000_000, words: [1, 77, 9, 8] }, 16);
  }

  private layOut(): void {
    this.bytes.set(ascii('MPIDBGRG'));
    this.words(8, [5, 96, regionBytes, 0, 4711, 1]);
    this.words(56, [15, 100, 0, shapes.length, 5, 7, 1, 0, 2]);
    let at = 96 + 24 * shapes.length;
    shapes.forEach(([name, stride, count], i) => {
      const entries = name === 'texts' ? this.texts.length : count;
      at = (at + 7) & ~7;
      this.places.set(name, at);
      this.words(96 + 24 * i, [at, 0, stride, entries, entries, 0]);
      at += stride * entries;
    });
  }

  /** In slots 6 and 7, which were being written until now. */
  writeLateRecord(): void {
    this.writeRecord(6, { kind: 1, time: 600_000_000, words: [530, event.copied, 0x44000000, 1, 2, 66] });
    this.image.writeBytes(regionAt, ...this.bytes);
  }

  /** From slot `number` on, of the ring whose first slot is `ring`. */
  private writeRecord(
    number: number,
    { kind, what = 0, time, words }: { kind: number; what?: number; time: number; words: number[] },
    ring = 0,
  ): void {
    const slots = this.places.get('slots')! + 64 * ring;
    const at = slots + 64 * (number % 8);
    this.words(at, [2 * number + 2, 0, time, 0]);
    this.bytes.set([kind, words.length, what & 255, what >> 8], at + 16);
    this.view.setUint32(at + 20, ring === 12 ? 4713 : 4712, true);
    words.slice(0, 5).forEach((word, i) => this.view.setBigInt64(at + 24 + 8 * i, BigInt(word), true));
    if (words.length <= 5) return;
    const next = slots + 64 * ((number + 1) % 8);
    this.words(next, [2 * (number + 1) + 3, 0]);
    words.slice(5).forEach((word, i) => this.view.setBigInt64(next + 8 + 8 * i, BigInt(word), true));
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
