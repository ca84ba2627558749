/** The collector's rings under threads and signals: what is read while they are written is whole, and nothing is uncounted. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { LocalHost } from '../../adapter/hosts/local-host';
import { HostProcess } from '../../adapter/hosts/host-process';
import { LiveImage } from '../../adapter/images/live/live-image';
import { Region } from '../../plugin-api/overlays/region';
import { lastRecords, lostRecords, RingTail, type RingRecord } from '../../plugin-api/overlays/rings';
import { openWorkshop, type Workshop } from '../support/compile';
import { compileRingWriters } from '../support/ring-writers';

const kind = 200;

/** A program that writes; its lines, as they come. */
class Writers {
  readonly image: LiveImage;
  private readonly lines: Interface;
  private readonly waiting: AsyncIterator<string>;

  constructor(readonly process: ChildProcess) {
    this.image = new LiveImage(new HostProcess(new LocalHost(), process.pid!));
    this.lines = createInterface({ input: process.stdout! });
    this.waiting = this.lines[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value } = (await this.waiting.next()) as { value: string };
    return value;
  }

  say(): void {
    this.process.stdin!.write('go on\n');
  }

  async end(): Promise<void> {
    const ended = this.process.exitCode === null ? once(this.process, 'close') : undefined;
    this.process.kill('SIGKILL');
    await ended;
    this.image.close();
  }
}

/** As ring-writers.c writes them. */
function assertWhole({ kind: itsKind, what, words }: RingRecord): void {
  assert.equal(itsKind, kind);
  const number = words[0]!;
  assert.equal(what, words.length);
  assert.equal(BigInt(words.length), 1n + (number % 30n));
  const base = number * 3n;
  const broken = words.findIndex((word, i) => i > 0 && word !== base + BigInt(i));
  assert.equal(broken, -1);
}

describe('the rings of the collector', () => {
  let workshop: Workshop;
  let program: string;
  let writers: Writers;
  before(() => {
    workshop = openWorkshop();
    program = compileRingWriters(workshop);
  });
  afterEach(() => writers.end());
  after(() => workshop.close());

  const start = (...args: string[]): void => {
    writers = new Writers(spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  };

  /** Records of all rings, and those that they have lost. */
  const counted = async (region: Region): Promise<number> => {
    const kept = await lastRecords(region, Infinity, () => true);
    kept.forEach(assertWhole);
    return kept.length + Number(await lostRecords(region));
  };

  it('tell only whole records while four threads and their signals write, and lose none uncounted', async () => {
    start('write', '4');
    assert.equal(await writers.line(), 'writing');
    const region = await Region.open(writers.image);
    const tail = new RingTail();
    const last = new Map<number, bigint>();
    for (let seen = 0, looks = 0; seen < 50_000 || looks < 5 || last.size < 4; looks++) {
      const records = await tail.next(region);
      seen += records.length;
      for (const record of records) {
        assertWhole(record);
        assert.notEqual(record.words[0], last.get(record.thread), 'told twice');
        last.set(record.thread, record.words[0]!);
      }
    }
    writers.say();
    const written = Number((await writers.line()).replace('written ', ''));
    assert.equal(await counted(region), written);
  });

  it('are there for 64 threads, each with a ring of its own', async () => {
    start('write', '64');
    assert.equal(await writers.line(), 'writing');
    writers.say();
    const written = Number((await writers.line()).replace('written ', ''));
    const region = await Region.open(writers.image);
    assert.equal(await counted(region), written);
    assert.equal(region.header.unrecorded, 0n);
  });

  it('go over to later threads when there is none left', async () => {
    start('threads', '1000');
    assert.equal(await writers.line(), 'written 1000');
    const region = await Region.open(writers.image);
    assert.equal(await counted(region), 1000);
    assert.equal(region.header.unrecorded, 0n);
  });
});
