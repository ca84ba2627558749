/** Which memory alone decides whether a loop ends. */
import assert from 'node:assert/strict';
import { decode } from '../../plugin-api/processor/x86-64/decode';
import type { Instruction } from '../../plugin-api/processor/instruction';
import { conditionsOf, type CalledInLoop } from '../../plugin-api/processor/code/loop-conditions';

const start = 0x100;
/** In what rbx points to; rbp is the frame's. */
const [rbx, rbp] = [0x5000n, 0x7000n];

/** The loop of these instructions, all of which it holds; asked at each of them, with the same answer. */
async function conditions(code: readonly number[], called?: CalledInLoop): Promise<string[] | undefined> {
  const loop = new Map<number, Instruction>();
  const bytes = Buffer.from([...code, ...Array.from({ length: 16 }, () => 0x90)]);
  for (let at = 0; at < code.length;) {
    const instruction = decode(bytes.subarray(at));
    loop.set(start + at, instruction);
    at += instruction.length;
  }
  const frame = {
    register: (number: number) => [undefined, undefined, undefined, rbx, 0x6f00n, rbp][number],
    bias: 0x10000n,
    read: ({ address }: { address: bigint }) =>
      Promise.resolve(address === rbp - 8n ? 0x8000n : address === rbp - 16n ? 3n : 0n),
  };
  const answers = new Set<string>();
  for (const at of loop.keys()) {
    const found = await conditionsOf(loop, at, frame, () => Promise.resolve(called));
    const places = found?.map(({ address, bytes: length }) => `${address.toString(16)} ${length}`);
    answers.add(JSON.stringify(places ?? null));
  }
  assert.equal(answers.size, 1, [...answers].join(' or '));
  return (JSON.parse([...answers][0]!) as string[] | null) ?? undefined;
}

const je = (from: number, to: number): number[] => [0x74, (to - from - 2) & 0xff];
const load = [0x8b, 0x43, 0x08]; // mov 8(%rbx),%eax
const test = [0x85, 0xc0]; // test %eax,%eax

describe('what ends a loop', () => {
  it('is a word in memory that it reads', async () => {
    assert.deepEqual(await conditions([...load, ...test, ...je(5, 0)]), ['5008 4']);
    // cmpb $0,0x20(%rip)
    assert.deepEqual(await conditions([0x80, 0x3d, 0x20, 0, 0, 0, 0, ...je(7, 0)]), ['10127 1']);
  });

  it('is what a pointer in its frame leads to', async () => {
    // mov -8(%rbp),%rax; mov (%rax),%eax; test; je
    assert.deepEqual(await conditions([0x48, 0x8b, 0x45, 0xf8, 0x8b, 0x00, ...test, ...je(8, 0)]), ['8000 4']);
  });

  it('is an element of what a pointer in its frame leads to', async () => {
    // mov -8(%rbp),%rax; mov -0x10(%rbp),%edx; add %edx,%edx; movslq %edx,%rdx; shl $2,%rdx; sub $4,%rdx; add %rdx,%rax; mov (%rax),%eax
    const index = [0x8b, 0x55, 0xf0, 0x01, 0xd2, 0x48, 0x63, 0xd2, 0x48, 0xc1, 0xe2, 0x02, 0x48, 0x83, 0xea, 0x04];
    const code = [0x48, 0x8b, 0x45, 0xf8, ...index, 0x48, 0x01, 0xd0, 0x8b, 0x00, ...test];
    assert.deepEqual(await conditions([...code, ...je(code.length, 0)]), ['8014 4']);
  });

  it('is not known where what it reads goes on with each round', async () => {
    // add %rdx,%rax; mov (%rax),%ecx; test %ecx,%ecx; je
    assert.equal(await conditions([0x48, 0x01, 0xd0, 0x8b, 0x08, 0x85, 0xc9, ...je(7, 0)]), undefined);
  });

  it('is a byte whose truth is turned and kept in the frame', async () => {
    // movzbl 8(%rbx),%eax; xor $1,%eax; mov %al,-1(%rbp); cmpb $0,-1(%rbp); jne
    const code = [0x0f, 0xb6, 0x43, 0x08, 0x83, 0xf0, 0x01, 0x88, 0x45, 0xff, 0x80, 0x7d, 0xff, 0x00];
    assert.deepEqual(await conditions([...code, ...je(code.length, 0)]), ['5008 1']);
  });

  it('is not known where a counter ends it, too', async () => {
    // addl $1,-4(%rbp); cmpl $9,-4(%rbp)
    const count = [0x83, 0x45, 0xfc, 0x01, 0x83, 0x7d, 0xfc, 0x09];
    const code = [...load, ...test, 0x75, 0x20, ...count];
    assert.equal(await conditions([...code, ...je(code.length, 0)]), undefined);
    // dec %ecx; jne
    const register = [...load, ...test, 0x75, 0x20, 0xff, 0xc9];
    assert.equal(await conditions([...register, ...je(register.length, 0)]), undefined);
  });

  it('is not known where a counter leads to its only way out, which is open', async () => {
    // addl $1,-4(%rbp); cmpl $9,-4(%rbp); je; test %ebx,%ebx; je
    const count = [0x83, 0x45, 0xfc, 0x01, 0x83, 0x7d, 0xfc, 0x09];
    const code = [...count, ...je(8, 0), 0x85, 0xdb];
    assert.equal(await conditions([...code, ...je(code.length, 0)]), undefined);
  });

  it('is also what leads to the way out', async () => {
    // mov 8(%rbx),%eax; test; je; mov 16(%rbx),%eax; test; je
    const code = [...load, ...test, ...je(5, 0), 0x8b, 0x43, 0x10, ...test];
    assert.deepEqual(await conditions([...code, ...je(code.length, 0)]), ['5010 4', '5008 4']);
  });

  it('is not the counter that does not end it', async () => {
    const code = [0x83, 0x45, 0xfc, 0x01, ...load, ...test];
    assert.deepEqual(await conditions([...code, ...je(code.length, 0)]), ['5008 4']);
  });

  it('is nothing where it has no way out, or its condition was read before it', async () => {
    assert.deepEqual(await conditions([0xf3, 0x90, 0xeb, 0xfc]), []);
    // test %ebx,%ebx
    assert.deepEqual(await conditions([0x85, 0xdb, ...je(2, 0)]), []);
  });

  it('depends on what it calls', async () => {
    const call = [0xe8, 0, 1, 0, 0];
    const code = [...call, ...load, ...test];
    assert.equal(await conditions([...code, ...je(code.length, 0)]), undefined);
    assert.deepEqual(await conditions([...code, ...je(code.length, 0)], { kind: 'keeps' }), ['5008 4']);
    // mov %rbx,%rdi; call; test %al,%al
    const atomic = [0x48, 0x89, 0xdf, ...call, 0x84, 0xc0];
    assert.deepEqual(await conditions([...atomic, ...je(atomic.length, 0)], { kind: 'loads', bytes: 1 }), ['5000 1']);
    assert.equal(await conditions([...atomic, ...je(atomic.length, 0)], { kind: 'keeps' }), undefined);
  });

  it('is not known where it may write to what it reads', async () => {
    // mov %eax,(%rcx)
    const code = [...load, 0x89, 0x01, ...test];
    assert.equal(await conditions([...code, ...je(code.length, 0)]), undefined);
  });
});
