/** The reader of core files, on core files made of bytes: what it tells, and what it refuses. */
import assert from 'node:assert/strict';
import { BytesSource, ElfError } from '../../adapter/elf/byte-source';
import { readArguments, readEnvironment } from '../../adapter/images/core/core-environment';
import { originalSignal } from '../../adapter/images/core/core-fault';
import { readCore } from '../../adapter/images/core/core-file';
import { CoreMemory } from '../../adapter/images/core/core-memory';
import { FaultError } from '../../plugin-api/result';
import { auxiliaryBytes, coreBytes, words, type CoreParts } from '../support/core-bytes';
import { randomNumbers } from '../support/random-numbers';
import { randomCases } from '../support/thorough';

const stackAt = 0x7ffd_0000_0000;
const pathAt = BigInt(stackAt + 0x1f00);
const auxiliary: [number, bigint][] = [
  [31, pathAt],
  [9, 0x40_1000n],
];

/** A stack with argv and environment as execve leaves them. */
function stack(environment: readonly string[], argc = 1n): Buffer {
  const bytes = Buffer.alloc(0x2000);
  let textAt = 0x1000;
  const pointers = environment.map((text) => {
    bytes.write(`${text}\0`, textAt);
    const pointer = BigInt(stackAt + textAt);
    textAt += text.length + 1;
    return pointer;
  });
  words([argc, pathAt, 0n, ...pointers, 0n]).copy(bytes, 0x800);
  auxiliaryBytes(auxiliary).copy(bytes, 0x800 + (4 + pointers.length) * 8);
  bytes.write('./solver\0', 0x1f00);
  return bytes;
}

const usual: CoreParts = {
  signal: { number: 11, code: 1, address: 0x18n },
  auxiliary,
  mappings: [
    { start: 0x40_0000, end: 0x40_2000, page: 0, path: '/home/user/solver' },
    { start: 0x7f00_0000_0000, end: 0x7f00_0000_1000, page: 3, path: '/lib/libmpi.so.40 (deleted)' },
  ],
  memory: [
    { address: 0x40_0000, bytes: Buffer.alloc(0x1000, 7), size: 0x2000, executable: true },
    { address: 0x50_0000, bytes: Buffer.alloc(0x1000, 9) },
    { address: stackAt, bytes: stack(['PMI_RANK=3', 'PMI_SIZE=8', 'PMI_RANK=4']) },
  ],
};

function open(
  parts: CoreParts,
  fileBehind: ConstructorParameters<typeof CoreMemory>[2] = () => 'the file is not here',
) {
  const source = new BytesSource(coreBytes(parts));
  const core = readCore(source);
  return { core, memory: new CoreMemory(core, source, fileBehind) };
}

const damaged = randomCases(100_000);

describe('a core file', () => {
  it('tells its process, its threads, its signal and the files that were mapped', () => {
    const { core } = open({
      ...usual,
      threads: [
        { lwp: 4713, signal: 11 },
        { lwp: 4711, signal: 0 },
      ],
    });
    assert.deepEqual(
      core.threads.map(({ lwp, signal }) => [lwp, signal]),
      [
        [4713, 11],
        [4711, 0],
      ],
    );
    assert.deepEqual(core.process, { pid: 4711, parent: 4710, name: 'solver', commandLine: './solver input' });
    assert.deepEqual(core.signal, { number: 11, code: 1, address: 0x18n, sender: 0x18 });
    assert.deepEqual(core.mappings[1], {
      start: 0x7f00_0000_0000,
      end: 0x7f00_0000_1000,
      offset: 0x3000,
      file: '/lib/libmpi.so.40 (deleted)',
      path: '/lib/libmpi.so.40',
    });
    assert.equal(core.missing, 0);
  });

  it('has the environment that the process was started with; of two entries the first counts', () => {
    const { core, memory } = open(usual);
    assert.deepEqual(
      [...readEnvironment(core, memory)],
      [
        ['PMI_RANK', '3'],
        ['PMI_SIZE', '8'],
      ],
    );
  });

  it('has the arguments, unless they are not as many as argc says or their text is not in the core', () => {
    const argumentsOf = (bytes: Buffer, dumped = bytes.length): string[] | undefined => {
      const memory = [{ address: stackAt, bytes: bytes.subarray(0, dumped), size: bytes.length }];
      const opened = open({ ...usual, memory });
      return readArguments(opened.core, opened.memory);
    };
    assert.deepEqual(argumentsOf(stack(['PMI_RANK=3'])), ['./solver']);
    assert.equal(argumentsOf(stack(['PMI_RANK=3'], 2n)), undefined);
    assert.equal(argumentsOf(stack(['PMI_RANK=3']), 0x1000), undefined);
    assert.equal(argumentsOf(Buffer.alloc(0x2000)), undefined);
  });

  it('gives memory across pieces, and says of each byte that it lacks why', () => {
    const { memory } = open(usual);
    assert.deepEqual([...memory.read(0x50_0ffen, 2)], [9, 9]);
    assert.throws(() => memory.read(0x50_0ffen, 4), /at 0x501000: nothing was mapped there/);
    assert.throws(() => memory.read(0x60_0000n, 4), FaultError);
    assert.throws(() => memory.read(0x40_1000n, 4), /of \/home\/user\/solver, and the file is not here/);
    assert.throws(() => memory.read(0x50_0000n, 2 ** 40), /no such length/);
  });

  it('reads pages that were not dumped from the file that was mapped, and no others', () => {
    const file = new BytesSource(Buffer.alloc(0x1800, 5));
    const { memory } = open(usual, ({ path }) => (path === '/home/user/solver' ? file : 'another build-id'));
    assert.deepEqual([...memory.read(0x40_0fffn, 3)], [7, 5, 5]);
    assert.deepEqual([...memory.read(0x40_17ffn, 2)], [5, 0], 'behind the end of a file its last page is zero');
    assert.throws(() => memory.read(0x7f00_0000_0000n, 8), /0x7f0000000000: .*libmpi.so.40, and another build-id/);
  });

  it('reads nothing from the file that was dumped and is cut off: it may have been changed', () => {
    const whole = coreBytes({ ...usual, memory: usual.memory.slice(0, 1) });
    const source = new BytesSource(whole.subarray(0, whole.length - 0x800));
    const memory = new CoreMemory(readCore(source), source, () => new BytesSource(Buffer.alloc(0x2000, 5)));
    assert.equal(memory.read(0x40_0000n, 1)[0], 7);
    assert.throws(() => memory.read(0x40_0800n, 1), /at 0x400800: the core file is truncated/);
    assert.equal(memory.read(0x40_1000n, 1)[0], 5);
  });

  it('tells the fault behind a signal that its handler raised again', () => {
    const order = [9, 8, 7, 6, 3, 2, 1, 0, 14, 13, 4, 5, 12, 10, 11, 19, 16];
    const registers = words(
      Array.from({ length: 27 }, (_, index) => (index === 19 ? BigInt(stackAt + 0x700) : BigInt(index + 77))),
    );
    const bytes = stack([]);
    Buffer.concat(order.map((place) => registers.subarray(place * 8, place * 8 + 8))).copy(bytes, 0x100);
    bytes.writeBigUInt64LE(0xdead0n, 0x100 + 176);
    bytes.writeInt32LE(11, 0x100 + 264);
    bytes.writeInt32LE(1, 0x100 + 272);
    const { core, memory } = open({
      ...usual,
      signal: { number: 11, code: -6, sender: 4711 },
      threads: [{ lwp: 4711, signal: 11, registers }],
      memory: [{ address: stackAt, bytes }],
    });
    assert.equal(originalSignal(core, memory)?.address, 0xdead0n);
    assert.equal(originalSignal(core, memory)?.code, 1);
    // gfortran's handler asks for no siginfo: the exception (14: a page fault) and its error code tell.
    bytes.writeInt32LE(0, 0x100 + 264);
    bytes.writeBigUInt64LE(7n, 0x100 + 152);
    bytes.writeBigUInt64LE(14n, 0x100 + 160);
    const fortran = open({
      ...usual,
      signal: { number: 11, code: -6, sender: 4711 },
      threads: [{ lwp: 4711, signal: 11, registers }],
      memory: [{ address: stackAt, bytes }],
    });
    const told = originalSignal(fortran.core, fortran.memory);
    assert.deepEqual([told?.address, told?.code], [0xdead0n, 2]);
  });

  it('tells the exception behind a signal whose handler asked for nothing', () => {
    const instructionAt = 0x50_0000;
    const order = [9, 8, 7, 6, 3, 2, 1, 0, 14, 13, 4, 5, 12, 10, 11, 19, 16];
    const values = Array.from({ length: 27 }, (_, index) => BigInt(index + 77));
    values[19] = BigInt(stackAt + 0x700);
    values[16] = BigInt(instructionAt);
    const registers = words(values);
    const told = (number: number, trap: bigint, { mxcsr = 0, code = [0x90] }: { mxcsr?: number; code?: number[] }) => {
      const bytes = stack([]);
      Buffer.concat(order.map((place) => registers.subarray(place * 8, place * 8 + 8))).copy(bytes, 0x100);
      bytes.writeBigUInt64LE(trap, 0x100 + 160);
      bytes.writeBigUInt64LE(BigInt(stackAt + 0x300), 0x100 + 184);
      bytes.writeUInt32LE(mxcsr, 0x300 + 24);
      const { core, memory } = open({
        ...usual,
        signal: { number, code: -6, sender: 4711 },
        threads: [{ lwp: 4711, signal: number, registers }],
        memory: [
          { address: instructionAt, bytes: Buffer.from([...code, ...Buffer.alloc(16)]) },
          { address: stackAt, bytes },
        ],
      });
      return originalSignal(core, memory)?.code;
    };
    assert.equal(told(11, 13n, {}), 128, 'not a valid address');
    assert.equal(told(8, 19n, { mxcsr: 0x1d80 | 0x24 }), 3, 'division by zero; what is inexact is masked');
    assert.equal(told(8, 19n, { mxcsr: 0x1f80 | 0x04 }), -6, 'all exceptions are masked');
    assert.equal(told(8, 0n, { code: [0x48, 0xf7, 0xfe] }), 1, 'idiv %rsi');
    assert.equal(told(8, 0n, { code: [0xf7, 0xe6] }), -6, 'mul %esi');
    assert.equal(told(8, 0n, {}), -6, 'raised by the program itself');
    assert.equal(told(11, 19n, { mxcsr: 4 }), -6, 'an exception of another signal');
  });

  const refusals: [what: string, bytes: Buffer, message: RegExp][] = [
    ['nothing', Buffer.alloc(0), /it is empty/],
    ['what gcore has just begun', Buffer.alloc(8192), /truncated: its header, which gcore writes last, is missing/],
    ['the beginning of a mark', Buffer.from('\x7fEL'), /truncated/],
    ['a text file', Buffer.from('rank 3 died here\n'), /not a core file/],
    ['a header alone', coreBytes(usual).subarray(0, 40), /truncated/],
    ['a core cut off in its notes', coreBytes(usual).subarray(0, 600), /truncated/],
    ['a core of a 32-bit process', patched((bytes) => (bytes[4] = 1)), /32-bit/],
    ['a core of a big-endian machine', patched((bytes) => (bytes[5] = 2)), /big-endian/],
    ['a program', patched((bytes) => bytes.writeUInt16LE(3, 16)), /not a core file but a program/],
    ['a core without threads', coreBytes({ ...usual, threads: [] }), /no thread/],
    ['a core with a wild number of segments', patched((bytes) => bytes.writeUInt16LE(0xfffe, 56)), /truncated/],
  ];
  for (const [what, bytes, message] of refusals)
    it(`${what} is refused with a reason`, () => {
      assert.throws(
        () => readCore(new BytesSource(bytes)),
        (error) => error instanceof ElfError && message.test(error.message),
      );
    });

  it('a truncated core gives what it has, and says how much is missing', () => {
    const bytes = coreBytes(usual);
    const source = new BytesSource(bytes.subarray(0, bytes.length - 0x1800));
    const core = readCore(source);
    assert.equal(core.missing, 0x1800);
    const memory = new CoreMemory(core, source, () => '');
    assert.equal(memory.read(0x50_0000n, 1)[0], 9);
    assert.throws(() => memory.read(BigInt(stackAt + 0x1000), 8), /truncated/);
  });

  it(`${damaged} damaged core files: an error or an answer, and no more memory than the file has`, function () {
    this.timeout(120_000);
    const whole = coreBytes({
      ...usual,
      memory: usual.memory.map((piece) => ({ ...piece, bytes: piece.bytes.subarray(-0x900) })),
    });
    const random = randomNumbers(20_261_121);
    const notesEnd = whole.length - 3 * 0x900;
    let opened = 0;
    for (let round = 0; round < damaged; round++) {
      const bytes = Buffer.from(whole.subarray(0, random(20) === 0 ? random(whole.length) : whole.length));
      for (let change = 0; change <= random(4); change++)
        damage(bytes, random(8) === 0 ? bytes.length : notesEnd, random);
      try {
        const source = new BytesSource(bytes);
        const core = readCore(source);
        const memory = new CoreMemory(core, source, () => 'the file is not here');
        readEnvironment(core, memory);
        readArguments(core, memory);
        originalSignal(core, memory);
        for (const { start } of core.segments.slice(0, 3)) tryRead(memory, BigInt(start), 1 + random(0x3000));
        tryRead(memory, BigInt(random(2 ** 31)) << BigInt(random(33)), random(2 ** 31));
        opened += 1;
      } catch (error) {
        if (!(error instanceof ElfError)) throw error;
      }
    }
    assert.ok(opened > damaged / 10, `only ${opened} could be opened: the damage reaches nothing behind the header`);
  });
});

function tryRead(memory: CoreMemory, address: bigint, length: number): void {
  try {
    assert.equal(memory.read(address, length).length, length);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
  }
}

/** A byte, a word, or a wild number somewhere below `end`. */
function damage(bytes: Buffer, end: number, random: (below: number) => number): void {
  const at = random(Math.min(end, bytes.length) || 1);
  if (at + 8 > bytes.length || random(3) === 0) {
    if (at < bytes.length) bytes[at] = random(256);
    return;
  }
  const wild = [
    0n,
    1n,
    0x7fn,
    0xffffn,
    0x7fff_ffffn,
    0xffff_ffffn,
    1n << 46n,
    (1n << 53n) - 1n,
    1n << 62n,
    (1n << 64n) - 1n,
  ];
  if (random(2) === 0) bytes.writeUInt32LE(Number(BigInt.asUintN(32, wild[random(wild.length)]!)), at);
  else
    bytes.writeBigUInt64LE(wild[random(wild.length)]!, at - (at % 8) + 8 <= bytes.length - 8 ? at - (at % 8) + 8 : at);
}

function patched(change: (bytes: Buffer) => void): Buffer {
  const bytes = coreBytes(usual);
  change(bytes);
  return bytes;
}
