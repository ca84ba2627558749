/** Unwinding information written by hand: what it says, and that what is damaged is refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ProcessImage } from '../../plugin-api/image';
import { FaultError } from '../../plugin-api/result';
import { evaluate } from '../../plugin-api/processor/unwind/frame-expression';
import { frameRules, returnAddress, stackPointer } from '../../plugin-api/processor/unwind/frame-rules';
import { UnwindError } from '../../plugin-api/processor/unwind/unwind-error';

const base = 0x1000n;
const start = 0x2000n;
const rbx = 3;
const rbp = 6;

/** `code`: what is behind the function. */
function imageOf(bytes: Uint8Array, code = new Uint8Array()): ProcessImage {
  const parts = [
    { from: base, bytes },
    { from: start + 32n, bytes: code },
  ];
  const readMemory = (address: bigint, length: number): Promise<Uint8Array> => {
    const end = address + BigInt(length);
    const part = parts.find((each) => each.from <= address && end <= each.from + BigInt(each.bytes.length));
    if (part === undefined) return Promise.reject(new FaultError(address, length));
    return Promise.resolve(part.bytes.slice(Number(address - part.from), Number(end - part.from)));
  };
  return { readMemory } as Partial<ProcessImage> as ProcessImage;
}

function entry(body: readonly number[]): number[] {
  return [...little(body.length, 4), ...body];
}

function little(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 2 ** (8 * i)) & 0xff);
}

/** "zR", absolute pointers of 4 bytes: the CFA is rsp + 8, the return address is below it. */
const common = entry([0, 0, 0, 0, 1, 0x7a, 0x52, 0, 1, 0x78, returnAddress, 1, 0x03, 0x0c, stackPointer, 8, 0x90, 1]);

/** Behind `common`, of a function of 32 bytes. */
function described(instructions: readonly number[]): Uint8Array {
  const toCommon = common.length + 4;
  return Uint8Array.from([
    ...common,
    ...entry([...little(toCommon, 4), ...little(Number(start), 4), ...little(32, 4), 0, ...instructions]),
  ]);
}

const rulesAt = (instructions: readonly number[], offset: number): ReturnType<typeof frameRules> =>
  frameRules(imageOf(described(instructions)), base + BigInt(common.length), start + BigInt(offset));

describe('rules of a frame', () => {
  // push %rbp; mov %rsp,%rbp; push %rbx; … pop %rbp in the middle, and the rest as before it.
  const usual = [0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, rbp, 0x41, 0x83, 3, 0x44, 0x0a, 0x0c, 7, 8, 0xc6, 0x41, 0x0b];

  it('are those of the address, and none of those behind it', async () => {
    const before = await rulesAt(usual, 0);
    assert.deepEqual(before.cfa, { kind: 'register', register: stackPointer, offset: 8 });
    assert.deepEqual([...before.registers], [[returnAddress, { kind: 'offset', offset: -8 }]]);
    const inside = await rulesAt(usual, 6);
    assert.deepEqual(inside.cfa, { kind: 'register', register: rbp, offset: 16 });
    assert.deepEqual(inside.registers.get(rbp), { kind: 'offset', offset: -16 });
    assert.deepEqual(inside.registers.get(rbx), { kind: 'offset', offset: -24 });
  });

  it('come back after an end in the middle', async () => {
    const left = await rulesAt(usual, 9);
    assert.deepEqual(left.cfa, { kind: 'register', register: stackPointer, offset: 8 });
    assert.equal(left.registers.get(rbp), undefined);
    const after = await rulesAt(usual, 10);
    assert.deepEqual(after.cfa, { kind: 'register', register: rbp, offset: 16 });
    assert.deepEqual(after.registers.get(rbp), { kind: 'offset', offset: -16 });
  });

  it('say where a stack ends', async () => {
    const { registers } = await rulesAt([0x07, returnAddress], 0);
    assert.deepEqual(registers.get(returnAddress), { kind: 'undefined' });
  });

  it('are the last ones between a system call that makes a thread and the return from it', async () => {
    const code = Uint8Array.from([0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x18, 0x74, 0x01, 0xc3]);
    const rules = (offset: number, behind = code): ReturnType<typeof frameRules> =>
      frameRules(imageOf(described([]), behind), base + BigInt(common.length), start + BigInt(offset));
    assert.equal((await rules(31)).makesThread, false);
    const { cfa, makesThread } = await rules(32 + 2);
    assert.deepEqual(
      { cfa, makesThread },
      { cfa: { kind: 'register', register: stackPointer, offset: 8 }, makesThread: true },
    );
    assert.equal((await rules(32 + 9)).makesThread, true);
    await assert.rejects(rules(32 + 10), UnwindError);
    await assert.rejects(rules(32), UnwindError);
    await assert.rejects(rules(32 + 2, Uint8Array.from([0x90, 0x90])), UnwindError);
  });

  it('are refused of another function, and in a form that is not known', async () => {
    await assert.rejects(rulesAt(usual, 32), UnwindError);
    await assert.rejects(rulesAt([0x3f], 1), UnwindError);
    await assert.rejects(rulesAt([0x0f, 0x80], 1), UnwindError);
  });

  it('end with an answer or a refusal, however they are damaged', async () => {
    const whole = described(usual);
    for (let at = 0; at < whole.length; at++)
      for (const value of [0x00, 0x01, 0x7f, 0x80, 0xff, whole[at]! ^ 0x40]) {
        const damaged = Uint8Array.from(whole);
        damaged[at] = value;
        for (const offset of [0n, 7n, 31n])
          await frameRules(imageOf(damaged), base + BigInt(common.length), start + offset).catch((error: unknown) => {
            assert.ok(error instanceof UnwindError || error instanceof FaultError, String(error));
          });
      }
  });
});

describe('expressions of unwinding information', () => {
  const context = {
    register: (number: number) => BigInt(1000 + number),
    readPointer: (address: bigint) => Promise.resolve(address + 5n),
  };

  it('are those of a procedure linkage table', async () => {
    // rsp + 8 + ((rip & 15) >= 11) * 8
    const expression = Uint8Array.from([0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22]);
    const at = (rip: bigint) => ({ ...context, register: (number: number) => (number === 16 ? rip : 1000n) });
    assert.equal(await evaluate(expression, at(0x2006n)), 1008n);
    assert.equal(await evaluate(expression, at(0x200bn)), 1016n);
  });

  it('read memory, and begin with what is there', async () => {
    assert.equal(await evaluate(Uint8Array.from([0x23, 3, 0x06]), context, 10n), 18n);
    assert.equal(await evaluate(Uint8Array.from([0x09, 0xff]), context), 2n ** 64n - 1n);
  });

  it('are refused when they take what is not there, or are not known', async () => {
    await assert.rejects(evaluate(Uint8Array.from([0x22]), context), UnwindError);
    await assert.rejects(evaluate(Uint8Array.from([0x9f]), context), UnwindError);
    await assert.rejects(evaluate(Uint8Array.from([0x08]), context), UnwindError);
  });
});
