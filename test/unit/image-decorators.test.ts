import assert from 'node:assert/strict';
import { CachedImage } from '../../adapter/images/cached-image';
import { CountingImage } from '../../adapter/images/counting-image';
import type { EpochImage } from '../../adapter/images/epoch-image';
import { RecordedImage } from '../../adapter/images/recorded-image';
import type { Recording } from '../../adapter/images/recording';
import { RecordingImage } from '../../adapter/images/recording-image';
import type { Module, Search, Symbol } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { FaultError, QueryError } from '../../plugin-api/result';

const START = 0x10000n;
const TYPE: TypeLayout = { size: 8, fields: { a: { offset: 4, size: 4 } } };

/** `readable` bytes from START on, of which each is the low byte of its address plus `generation`. */
class FakeImage implements EpochImage {
  readonly target = 'live';
  generation = 0;
  readonly executable: Module = module('/home/somebody/secret/app', 0x10000n, true);
  readonly library: Module = module('/usr/lib/libdata.so.1', 0x7f0000000000n, false);

  constructor(private readonly readable = 4000) {}

  async readMemory(address: bigint, length: number): Promise<Uint8Array> {
    if (address < START || address + BigInt(length) > START + BigInt(this.readable))
      throw new FaultError(address, length);
    return Uint8Array.from({ length }, (_, i) => Number((address + BigInt(i)) & 0xffn) + this.generation);
  }

  async modules(): Promise<readonly Module[]> {
    return [this.executable, this.library];
  }

  async findSymbol(name: string, module?: Module): Promise<Symbol | undefined> {
    const address = module === this.library ? 0x7f0000000010n : 0x10010n;
    return name === 'counter' ? { name, address, size: 4, module: module ?? this.executable } : undefined;
  }

  async symbolAt(address: bigint): Promise<Symbol | undefined> {
    return address === 0x10012n ? this.findSymbol('counter') : undefined;
  }

  async findType(name: string): Promise<TypeLayout | undefined> {
    return name === 'pair' ? TYPE : undefined;
  }

  async findAllocated(word: number): Promise<Search | undefined> {
    return word === 7 ? { addresses: [START + 16n], gap: 'the rest is elsewhere' } : undefined;
  }

  async environment(): Promise<ReadonlyMap<string, string>> {
    return new Map([['PMI_RANK', '3'], ['API_TOKEN', 'secret'], ['OMPI_COMM_WORLD_RANK', '3']]); // prettier-ignore
  }

  invalidate(): void {
    this.generation++;
  }
}

function module(path: string, bias: bigint, isExecutable: boolean): Module {
  const segment = { address: bias, size: 4096, fileSize: 4000, writable: true, executable: false };
  return { path, bias, buildId: isExecutable ? undefined : 'c0ffee', isExecutable, segments: [segment] };
}

function expected(address: bigint, length: number, generation = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((address + BigInt(i)) & 0xffn) + generation);
}

describe('a cached image', () => {
  const PAGE = 4096;
  /** Ends shortly before the end of a page. */
  const READABLE = 4 * PAGE - 96;
  let counting: CountingImage;
  let image: CachedImage;
  beforeEach(() => {
    counting = new CountingImage(new FakeImage(READABLE));
    image = new CachedImage(counting);
  });

  it('reads neighbouring bytes once', async () => {
    for (const [address, length] of [
      [START + 10n, 4],
      [START + 4000n, 100],
      [START + 3n, 8000],
      [START, 1],
    ] as const) {
      assert.deepEqual(await image.readMemory(address, length), expected(address, length));
    }
    assert.equal(counting.counts.reads, 2, 'the first page, then the second');
    assert.equal(counting.counts.bytes, 2 * PAGE);
  });

  it('reads once what many ask for at the same time', async () => {
    const asked = Array.from({ length: 100 }, (_, i) => START + BigInt(8 * i));
    const found = await Promise.all(asked.map((address) => image.readMemory(address, 8)));
    assert.deepEqual(
      found,
      asked.map((address) => expected(address, 8)),
    );
    assert.equal(counting.counts.reads, 1);
  });

  it('reads missing pages between cached ones', async () => {
    await image.readMemory(START + BigInt(PAGE), 1);
    assert.deepEqual(await image.readMemory(START, 3 * PAGE), expected(START, 3 * PAGE));
    assert.equal(counting.counts.reads, 3);
  });

  it('reads exactly what is asked where a whole page is not readable', async () => {
    const last = START + BigInt(READABLE - 10);
    assert.deepEqual(await image.readMemory(last, 10), expected(last, 10));
    await assert.rejects(image.readMemory(last, 11), (error) => {
      return error instanceof FaultError && error.address === last && error.length === 11;
    });
    await assert.rejects(image.readMemory(-5n, 2), FaultError);
  });

  it('never gives bytes away that a caller could change', async () => {
    (await image.readMemory(START, 8)).fill(99);
    assert.deepEqual(await image.readMemory(START, 8), expected(START, 8));
  });

  it('forgets at a stop, also what is still being read', async () => {
    const late = image.readMemory(START, 4);
    image.invalidate();
    await late;
    assert.deepEqual(await image.readMemory(START, 4), expected(START, 4, 1));
  });
});

describe('a recording', () => {
  /** Some of everything; `image` has to answer all of it. */
  const askEverything = async (image: RecordingImage | RecordedImage): Promise<unknown[]> => {
    const [executable, library] = await image.modules();
    const fault = await image.readMemory(0n, 8).catch((error: unknown) => error);
    assert.ok(fault instanceof FaultError && !fault.message.includes('recording'));
    return [
      await image.readMemory(START + 500n, 20),
      await image.readMemory(START + 3990n, 10),
      await image.readMemory(START + 700n, 600),
      (await image.findSymbol('counter'))?.address,
      (await image.findSymbol('counter', library))?.address,
      (await image.findSymbol('counter', library))?.module === library,
      (await image.findSymbol('counter', executable))?.module === executable,
      await image.findSymbol('nothing'),
      (await image.symbolAt(0x10012n))?.name,
      await image.symbolAt(0n),
      await image.findType('pair', ['a']),
      await image.findType('nothing', ['a']),
      [...(await image.environment())],
      [executable?.isExecutable, library?.path, library?.buildId, library?.bias, library?.segments],
    ];
  };

  const record = async (): Promise<{ answers: unknown[]; recording: Recording }> => {
    const image = new RecordingImage(new FakeImage());
    const answers = await askEverything(image);
    return { answers, recording: JSON.parse(JSON.stringify(await image.recording())) as Recording };
  };

  it('gives the answers of the process again, also from its JSON', async () => {
    const { answers, recording } = await record();
    assert.deepEqual(await askEverything(new RecordedImage(recording)), answers);
  });

  it('holds blocks of 256 bytes, neighbours as one', async () => {
    const { recording } = await record();
    assert.deepEqual(
      recording.memory.map(({ address, bytes }) => [address, bytes.length / 2]),
      [['10100', 256 * 5], ['10f96', 10]], // prettier-ignore
    );
    const image = new RecordedImage(recording);
    assert.deepEqual(await image.readMemory(START + 300n, 200), expected(START + 300n, 200));
  });

  it('says what is not in it', async () => {
    const image = new RecordedImage((await record()).recording);
    const missing = (error: unknown): boolean => error instanceof QueryError && error.message.includes('recording');
    await assert.rejects(image.readMemory(START + 2048n, 4), missing);
    await assert.rejects(image.readMemory(START + 1530n, 10), missing);
    await assert.rejects(image.readMemory(0n, 9), missing);
    await assert.rejects(image.findSymbol('never_asked'), missing);
    await assert.rejects(image.symbolAt(1n), missing);
    await assert.rejects(image.findType('pair', ['b']), missing);
  });

  it('holds nothing of the machine but the launcher variables and the paths of the system', async () => {
    const { recording } = await record();
    assert.deepEqual(recording.environment, { OMPI_COMM_WORLD_RANK: '3', PMI_RANK: '3' });
    assert.deepEqual(
      recording.modules.map(({ path }) => path),
      ['/recorded/app', '/usr/lib/libdata.so.1'],
    );
    assert.ok(!JSON.stringify(recording).includes('secret'));
  });

  it('is the same whatever the order of the questions', async () => {
    const forth = new RecordingImage(new FakeImage());
    const back = new RecordingImage(new FakeImage());
    const reads = [START + 3990n, START, START + 1024n, START + 3992n];
    for (const address of reads) await forth.readMemory(address, 8);
    for (const address of reads.reverse()) await back.readMemory(address, 8);
    assert.deepEqual(await forth.recording(), await back.recording());
  });

  it('is of one moment though the process runs meanwhile', async () => {
    const fake = new FakeImage();
    const image = new RecordingImage(fake);
    for (const address of [START, START + 3990n]) {
      await image.readMemory(address, 4);
      fake.invalidate();
      assert.deepEqual(await image.readMemory(address, 4), expected(address, 4, fake.generation - 1));
    }
  });
});
