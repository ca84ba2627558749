/** What a function has put into the registers of arguments, by the instructions before its call. */
import assert from 'node:assert/strict';
import { argumentsAtCall, isLeftOut, type OriginOfArgument } from '../../plugin-api/processor/code/call-site';
import type { CodeSource } from '../../plugin-api/processor/code/code';
import { decode } from '../../plugin-api/processor/x86-64/decode';

const [rbx, rsp, rbp] = [3, 4, 5] as const;
const call = 'e8 82 fe ff ff';

interface LastCall {
  source: CodeSource;
  behind: number;
}

/** The last call of a function that goes on behind it with `after`; behind the function lies `table`. */
function lastCall(before: string, after = 'c3', table = ''): LastCall {
  const bytesOf = (text: string): Buffer => Buffer.from(text.replace(/\s+/g, ''), 'hex');
  const until = bytesOf(`${before} ${call}`);
  const code = Buffer.concat([until, bytesOf(after)]);
  const bytes = Buffer.concat([code, bytesOf(table)]);
  const source: CodeSource = {
    instructionAt: (at) => decode(bytes.subarray(at)),
    pieceAt: () => Promise.resolve({ start: 0, end: code.length }),
    mayReturn: () => Promise.resolve(true),
    mayReturnThrough: () => Promise.resolve(true),
    int32At: (at) => Promise.resolve(at + 4 <= bytes.length ? bytes.readInt32LE(at) : undefined),
  };
  return { source, behind: until.length };
}

async function passed(before: string, after?: string, table?: string): Promise<ReadonlyMap<number, OriginOfArgument>> {
  const { source, behind } = lastCall(before, after, table);
  return argumentsAtCall(source, 0, behind);
}

describe('the arguments at a call', () => {
  it('are constants, variables on the stack, and registers that calls keep', async () => {
    // push %rbp; mov %rsp,%rbp; sub $16,%rsp; mov -8(%rbp),%edx; mov -16(%rbp),%rax; push $1; mov %edx,%r9d; mov $7,%r8d; xor %ecx,%ecx
    const frame = '55 48 89 e5 48 83 ec 10 8b 55 f8 48 8b 45 f0 6a 01 41 89 d1 41 b8 07 00 00 00 31 c9';
    // mov %ebx,%edx; mov $-1,%rsi; mov %rax,%rdi
    assert.deepEqual(
      await passed(`${frame} 89 da 48 c7 c6 ff ff ff ff 48 89 c7`),
      new Map<number, OriginOfArgument>([
        [0, { origin: { kind: 'memory', base: rbp, offset: -16 }, bits: 64 }],
        [1, { origin: { kind: 'constant', value: 0xffff_ffff_ffff_ffffn }, bits: 64 }],
        [2, { origin: { kind: 'register', number: rbx }, bits: 32 }],
        [3, { origin: { kind: 'constant', value: 0n }, bits: 64 }],
        [4, { origin: { kind: 'constant', value: 7n }, bits: 64 }],
        [5, { origin: { kind: 'memory', base: rbp, offset: -8 }, bits: 32 }],
      ]),
    );
  });

  it('are counted from where the stack pointer stands at the call', async () => {
    // mov 0x18(%rsp),%edi; sub $8,%rsp; push $0; lea 0x30(%rip),%rsi
    assert.deepEqual(
      await passed('8b 7c 24 18 48 83 ec 08 6a 00 48 8d 35 30 00 00 00'),
      new Map<number, OriginOfArgument>([
        [0, { origin: { kind: 'memory', base: rsp, offset: 0x28 }, bits: 32 }],
        [1, { origin: { kind: 'address', address: 17 + 0x30 }, bits: 64 }],
      ]),
    );
  });

  for (const [what, code, after] of [
    ['a register that has changed since', '89 df bb 01 00 00 00'], // mov %ebx,%edi; mov $1,%ebx
    ['memory that may have changed since', '8b 7d f8 89 02'], // mov -8(%rbp),%edi; mov %eax,(%rdx)
    ['a variable whose address is passed too', '8b 7d f8 48 8d 55 f8', undefined, 2], // mov -8(%rbp),%edi; lea -8(%rbp),%rdx
    ['what came before another call', `bf 01 00 00 00 ${call}`], // mov $1,%edi
    ['what one of two ways has set', 'bf 01 00 00 00 90', 'eb f8'], // mov $1,%edi; the nop is jumped to
    ['code with jumps whose table is not found', 'bf 01 00 00 00', 'ff e0'], // mov $1,%edi … jmp *%rax
  ] as const)
    it(`are not told by ${what}`, async () => assert.equal((await passed(code, after)).has(0), false));

  describe('in a function with a switch', () => {
    // 0: mov $1,%edi; 5: nop; 6: call; 11: lea 2(%rip),%rdx; 18: jmp *%rax
    const [before, after] = ['bf 01 00 00 00 90', '48 8d 15 02 00 00 00 ff e0'] as const;
    const entry = (target: number): string => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32LE(target - 20);
      return bytes.toString('hex');
    };

    it('are told where no case begins between', async () => {
      const told = await passed(before, after, `${entry(11)}${entry(0x4000)}${entry(18)}`);
      assert.deepEqual(told.get(0), { origin: { kind: 'constant', value: 1n }, bits: 64 });
    });

    it('are not told where a case begins between', async () => {
      assert.equal((await passed(before, after, `${entry(11)}${entry(0x4000)}${entry(5)}`)).has(0), false);
    });

    it('are not told where there are more switches than tables', async () => {
      assert.equal((await passed(before, `${after.slice(0, 20)} ff e0 ff e1`, '')).has(0), false);
    });
  });
});

describe('an argument in memory at a call', () => {
  const isMissing = async (before: string, index: number, after?: string): Promise<boolean> => {
    const { source, behind } = lastCall(before, after);
    return isLeftOut(source, 0, behind, index);
  };

  it('is missing where the stack is only kept aligned for it', async () => {
    // sub $8,%rsp; lea 0x10(%rsp),%rax; push %rax
    const aligned = '48 83 ec 08 48 8d 44 24 10 50';
    assert.deepEqual([await isMissing(aligned, 0), await isMissing(aligned, 1)], [false, true]);
  });

  for (const [what, code, after] of [
    ['pushed', '50 50'], // push %rax; push %rax
    ['stored', '48 83 ec 10 48 89 44 24 08'], // sub $16,%rsp; mov %rax,8(%rsp)
    ['stored in part', '48 83 ec 10 89 44 24 0c'], // sub $16,%rsp; mov %eax,12(%rsp)
    ['perhaps stored through a pointer', '48 83 ec 10 48 89 03'], // sub $16,%rsp; mov %rax,(%rbx)
    ['perhaps stored by another call', `48 83 ec 10 ${call}`],
    ['perhaps stored on another way', '48 83 ec 10 90', 'eb f8'], // the nop is jumped to
    ['in what the stack had already', '90'],
  ] as const)
    it(`is not known to be missing where it is ${what}`, async () => {
      assert.equal(await isMissing(code, 1, after), false);
    });
});
